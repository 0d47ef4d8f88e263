/** Calls of tools with more arguments than are parsed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModernServer, textResult } from "../../agent/tools/mcp-servers.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type UpstreamDialect } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const members = Array.from({ length: 25_000 }, (_, index) => `"k${index}":1`);
const large = [
  ["many values", `{${members.join()}}`],
  ["a long text", JSON.stringify({ a: "x".repeat(1024 * 1024) })],
] as const;
const upstreams: readonly UpstreamDialect[] = [
  "dialect_chat",
  "dialect_messages",
  "dialect_responses",
];
const told = "The arguments are too large";
const cases = upstreams.flatMap((dialect) =>
  large.map(([what, text]) => [dialect, what, text] as const),
);

describe.each(cases)("arguments of a model over %s with %s", (dialect, _what, text) => {
  it.each(["never", "always"] as const)(
    "are an error to the model, and no call, for a server's tool with approval `%s`",
    async (approval) => {
      let calls = 0;
      const server = await startModernServer({
        tools: [{ name: "weather" }],
        call: () => {
          calls += 1;
          return textResult("wet");
        },
      });
      const { user, upstream, openai, bodies } = await startAgentCaller(causeway, dialect);
      const body = { kind: "mcp", name: "Sky", url: server.url, approval };
      await causeway.call("POST", "/v1/items", { token: user.session, body });
      const call = { id: "call_1", name: "weather", arguments: text };
      upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
      upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
      const first = await openai.responses.create({ model: "agent", input: "Oslo?" });
      expect(first.output_text).toBe("Sorry.");
      const last = JSON.stringify(bodies().at(-1));
      expect(last.split(told)).toHaveLength(2);
      expect(last).not.toMatch(/k24999|x{99}/);
      expect(calls).toBe(0);
    },
  );
});
