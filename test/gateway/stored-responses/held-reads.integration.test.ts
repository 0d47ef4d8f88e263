/** Memory of responses that are read for their callers. */
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { streamFrames } from "../stream-frames.ts";
import { startCaller } from "../turn/background-caller.ts";

let causeway: TestInstance;

/** An account may hold a quarter, 2 MiB. */
beforeAll(async () => {
  causeway = await startTestInstance({
    file: { limits: { held_bodies_mib: 8, max_body_mib: 1 } },
  });
});

afterAll(() => causeway.close());

it("refuses a large response while its account holds much", async () => {
  const { openai, upstream, call, secret } = await startCaller(causeway, "dialect_responses");
  upstream.play(stream(streamFrames.responses));
  const input = "x".repeat(150_000);
  const { id } = await openai.responses.create({ model: "agent", input, background: true });
  const statusOf = async () => (await call("GET", `/v1/responses/${id}`)).status;
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
  const upload = request(`${causeway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-length": 1_040_000 },
  });
  upload.on("error", () => undefined);
  upload.write("x".repeat(1_030_000));
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(429);
  upload.destroy();
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
});
