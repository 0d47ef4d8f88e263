import { createSecretRedactor } from "../../src/agent/tools/result/redact-secrets.ts";
import { describe, it } from "vitest";
import { resolvePendingApprovals } from "../../src/agent/run/approvals.ts";
import type { AgentStepContext } from "../../src/agent/run/requested-tool-call.ts";
import { addMissingToolOutputs, buildThreadItems } from "../../src/agent/thread/thread-items.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { expectLinear } from "../support/growth.ts";

const place = { toolset: { tools: [] } } as unknown as AgentStepContext;

/** Calls that wait for an approval, and the approvals of all of them. */
function approvals(count: number): { history: JsonObject[]; input: JsonObject[] } {
  const numbers = Array.from({ length: count }, (_, index) => String(index));
  return {
    history: numbers.flatMap((id) => [
      { type: "function_call", call_id: id, name: "x", arguments: "{}" },
      { type: "mcp_approval_request", id: `q${id}`, call_id: id, name: "x", arguments: "{}" },
    ]),
    input: numbers.map((id) => ({
      type: "mcp_approval_response",
      approval_request_id: `q${id}`,
      approve: true,
    })),
  };
}

describe("the items of a thread", () => {
  it("are joined in time that grows with the number of turns", () => {
    expectLinear(2000, (size) => {
      const turns = Array.from({ length: size }, (_, at) => {
        const input = [{ type: "message", role: "user", content: `${at}` }];
        const call = { type: "function_call", call_id: `${at}`, name: "x", arguments: "{}" };
        return { input, items: [...input, call] };
      });
      return () => buildThreadItems([], turns);
    });
  });
});

describe("many approvals in one request", () => {
  it("are matched with their calls in linear time when a thread goes on", () => {
    expectLinear(4000, (size) => {
      const { history, input } = approvals(size);
      return () => addMissingToolOutputs(history, input);
    });
  });

  it("are matched with their requests in linear time when a turn begins", () => {
    expectLinear(4000, (size) => {
      const { history, input } = approvals(size);
      return () => resolvePendingApprovals(history, input, place);
    });
  });
});

it("createSecretRedactor takes time that grows with a text and a value of one repeated character", () => {
  expectLinear(200_000, (size) => {
    const half = "a".repeat(size / 256);
    const redact = createSecretRedactor({ "x-key": `${half}b${half}` });
    const text = "a".repeat(size);
    return () => redact(text);
  });
});
