import { describe, it } from "vitest";
import { approvedRequests } from "../../src/agent/run/approvals.ts";
import type { RequestPlace } from "../../src/agent/run/tool-request.ts";
import { closeCallsBefore } from "../../src/agent/thread/thread-items.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { expectLinear } from "../support/growth.ts";

const place = { outfit: { tools: [] } } as unknown as RequestPlace;

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

describe("many approvals in one request", () => {
  it("are matched with their calls in linear time when a thread goes on", () => {
    expectLinear(4000, (size) => {
      const { history, input } = approvals(size);
      return () => closeCallsBefore(history, input);
    });
  });

  it("are matched with their requests in linear time when a turn begins", () => {
    expectLinear(4000, (size) => {
      const { history, input } = approvals(size);
      return () => approvedRequests(history, input, place);
    });
  });
});
