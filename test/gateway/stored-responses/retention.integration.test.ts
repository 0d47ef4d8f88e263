import { expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance } from "../../support/test-instance.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";

it("[file.retention] keeps no response when retention.responses_days is 0", async () => {
  const causeway = await startTestInstance({ file: { retention: { responses_days: 0 } } });
  try {
    const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
    const user = await causeway.createUser();
    const fields = {
      label: "Box",
      base_url: `${upstream.origin}/v1`,
      api_key: "k",
      dialect: "dialect_chat",
    };
    await causeway.call("POST", "/v1/upstreams", { token: user.session, body: fields });
    const { secret: token } = await user.createKey();
    upstream.play(json(responseFixtures.chat.whole));
    const question = { model: "custom/box/m", input: "hello" };
    const answer = await causeway.call("POST", "/v1/responses", { token, body: question });
    expect(answer).toMatchObject({ status: 200, body: { store: false } });
    const { id } = answer.body;
    expect((await causeway.call("GET", `/v1/responses/${id}`, { token })).status).toBe(404);
    const next = await causeway.call("POST", "/v1/responses", {
      token,
      body: { ...question, previous_response_id: id },
    });
    expect(next).toMatchObject({ status: 400, body: { error: { param: "previous_response_id" } } });
  } finally {
    await causeway.close();
  }
});
