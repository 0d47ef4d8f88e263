import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance } from "../../support/test-instance.ts";

it("finds a stored response whose vendor gave it an id with a NUL", async () => {
  const id = "resp_a\0b";
  const output = [{ type: "message", role: "assistant", content: [] }];
  const upstream = await startFakeUpstream(
    json({ id, object: "response", status: "completed", output }),
  );
  const vendor = { label: "Acme", base_url: `${upstream.origin}/v1`, models: ["m"] };
  const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  const causeway = await startTestInstance({
    file: {
      vendors: { acme: { ...vendor, dialects: ["dialect_responses"], auth: "bearer" } },
      credits: {
        keys: { acme: "operator-key" },
        catalog: [{ id: "sold", vendor: "acme", model: "m", ...prices }],
      },
    },
  });
  onTestFinished(() => causeway.close());
  const user = await causeway.createUser();
  await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, {
    token: causeway.adminToken,
    body: { amount_usd: 1 },
  });
  const { secret: token } = await user.createKey();
  const body = { model: "sold", input: "Hi?" };
  expect(await causeway.call("POST", "/v1/responses", { token, body })).toMatchObject({
    status: 200,
    body: { id },
  });
  const found = await causeway.call("GET", "/v1/responses/resp_a%00b", { token });
  expect(found).toMatchObject({ status: 200, body: { id } });
});
