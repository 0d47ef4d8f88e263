import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { FairLargeWorkScheduler } from "../../../src/platform/large-work-turns.ts";
import { json } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, startAgentCaller } from "../agent/agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

/** `transcode-meter.test.ts` has all that counts; this is one of them, over the wire. */
it("a translated stream ends with an error beyond 32 MiB of text", async () => {
  const { secret, upstream } = await startAgentCaller(causeway, "dialect_chat");
  const content = "a".repeat(4 * 1024 * 1024);
  const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  let sent = 0;
  upstream.play(async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (; sent < 25 && !response.destroyed; sent++) {
      if (!response.write(frame))
        await new Promise<void>((resolve) => {
          response.once("drain", resolve).once("close", resolve);
        });
    }
    response.end("data: [DONE]\n\n");
  });
  // Not the official client: it takes seconds for events of a mebibyte.
  const response = await fetch(`${causeway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi?" }],
      stream: true,
    }),
  });
  let end = Buffer.alloc(0);
  for await (const chunk of response.body ?? []) {
    end = Buffer.concat([end.subarray(-1000), Buffer.from(chunk).subarray(-1000)]);
  }
  expect(end.toString()).toContain("more than 32 MiB");
  expect(sent).toBeLessThan(15);
});

describe("whole answers of an upstream", () => {
  /** Whose turns were taken while the callers were answered. */
  async function ownersOfTurns(path: string, bytes: number): Promise<readonly string[]> {
    const run = vi.spyOn(FairLargeWorkScheduler.prototype, "run");
    onTestFinished(() => run.mockRestore());
    const { secret, upstream } = await startAgentCaller(causeway, "dialect_chat");
    const message = { role: "assistant", content: "a".repeat(bytes) };
    upstream.play(
      json({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
    const input = path === "/v1/responses" ? { input: "Hi?" } : { messages: [] };
    const { status } = await causeway.call("POST", path, {
      token: secret,
      body: { model, max_tokens: 10, ...input },
    });
    expect(status).toBe(200);
    return run.mock.calls.map(([owner]) => owner);
  }

  it.each([
    ["/v1/responses", 64 * 1024, 1],
    ["/v1/responses", 10_000, 0],
    ["/v1/chat/completions", 64 * 1024, 0],
  ])("take turns where they are translated: %s, %i bytes", async (path, bytes, turns) => {
    expect(await ownersOfTurns(path, bytes)).toHaveLength(turns);
  });
});
