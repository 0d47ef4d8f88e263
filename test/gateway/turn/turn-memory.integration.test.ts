import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Script } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { streamFrames } from "../stream-frames.ts";
import { startCaller } from "./background-caller.ts";

let causeway: TestInstance;

/** An account may hold a quarter, 1 MiB. */
beforeAll(async () => {
  causeway = await startTestInstance({
    file: { limits: { held_bodies_mib: 4, max_body_mib: 1 } },
  });
});

afterAll(() => causeway.close());

/** Begins a stream, then sends 2 MiB of an event that never ends. */
const unfinished: Script = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(streamFrames.responses[0]);
  response.write(`data: {"x":"${"x".repeat(2 * 1024 * 1024)}`);
};

describe("an upstream's event that does not end, in a call that is made for a turn", () => {
  it("ends the turn with an error when the account may not hold more", async () => {
    const { openai, upstream } = await startCaller(causeway, "dialect_responses");
    upstream.play(unfinished);
    const body = { model: "agent", input: "Hello?", background: true };
    const { id } = await openai.responses.create(body);
    await expect
      .poll(() => openai.responses.retrieve(id), { timeout: 10_000 })
      .toMatchObject({ status: "failed", error: { code: "rate_limited" } });
  });
});
