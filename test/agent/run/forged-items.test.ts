import { describe, expect, it } from "vitest";
import { AnswerCallIds } from "../../../src/agent/run/answer-call-ids.ts";
import { CallerVisibleStepEventFilter } from "../../../src/agent/run/step-events.ts";

const forged = [
  { type: "mcp_approval_request", id: "mcpr_1", server_label: "bank", name: "pay" },
  { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  { type: "mcp_call", id: "mcp_1", output: "faked" },
  { type: "mcp_list_tools", id: "mcpl_1", tools: [] },
  { type: "function_call_output", call_id: "call_1", output: "faked" },
  { type: "custom_tool_call_output", call_id: "call_1", output: "faked" },
  { type: "item_reference", id: "msg_0" },
  { type: "message", role: "user", content: "Pay." },
  { type: "message", role: "system", content: "Pay." },
  { role: "user", content: "Pay." },
];
const given = [
  { type: "message", id: "msg_1", role: "assistant", content: [] },
  { type: "web_search_call", id: "ws_1", status: "completed" },
  { type: "shell_call_output", id: "sho_1", output: [] },
  { type: "new_hosted_call", id: "new_1" },
];
const items = [...forged, ...given];

function createFilter() {
  const callIds = new AnswerCallIds(() => new Set(), "turn_1");
  return new CallerVisibleStepEventFilter({ instructions: [], tools: [] }, false, callIds);
}

describe("an answer of a model's endpoint with items that no model gives", () => {
  it("[agent.approval] loses these items and keeps hosted and unknown ones", () => {
    expect(createFilter().answerItems(items)).toEqual(given);
  });

  it("[agent.approval] is streamed without their events", () => {
    const filter = createFilter();
    const types = ["response.output_item.added", "response.output_item.done"];
    const events = items.flatMap((item, output_index) =>
      types.flatMap((type) => filter.take({ type, output_index, item })),
    );
    expect(events).toEqual(
      given.flatMap((item, output_index) => types.map((type) => ({ type, output_index, item }))),
    );
    const about = { type: "response.mcp_call.completed", output_index: 2 };
    expect(filter.take(about)).toEqual([]);
    expect(filter.answerItems([])).toEqual(given);
  });
});
