import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { LargeWorkTurns } from "../../../src/platform/large-work-turns.ts";
import { json } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, startAgentCaller } from "../agent/agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const mebibyte = "a".repeat(1024 * 1024);

it.each([
  ["text", () => ({ content: mebibyte })],
  [
    "names of tools",
    (index: number) => ({
      tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: mebibyte } }],
    }),
  ],
])("a translated stream ends with an error beyond 32 MiB of %s", async (_what, deltaOf) => {
  const { secret, upstream } = await startAgentCaller(causeway, "dialect_chat");
  let sent = 0;
  upstream.play(async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (; sent < 100 && !response.destroyed; sent++) {
      const chunk = { choices: [{ index: 0, delta: deltaOf(sent) }] };
      const isTaken = response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      if (!isTaken)
        await new Promise<void>((resolve) => {
          response.once("drain", resolve);
          response.once("close", resolve);
        });
    }
    response.end("data: [DONE]\n\n");
  });
  // Not the official client: it takes seconds for events of a mebibyte.
  const response = await fetch(`${causeway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hi?", stream: true }),
  });
  let end = "";
  for await (const chunk of response.body ?? [])
    end = end.slice(-1000) + Buffer.from(chunk).toString();
  expect(end.slice(-1000)).toContain("more than 32 MiB");
  expect(sent).toBeLessThan(60);
});

describe("whole answers of an upstream", () => {
  /** Whose turns were taken while the callers were answered. */
  async function ownersOfTurns(path: string, bytes: number): Promise<readonly string[]> {
    const run = vi.spyOn(LargeWorkTurns.prototype, "run");
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
