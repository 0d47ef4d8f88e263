import { describe, expect, it } from "vitest";
import {
  AnswerCallIds,
  collectConversationCallIds,
} from "../../../src/agent/run/answer-call-ids.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";

const call = (call_id?: string, type = "function_call"): JsonObject => ({
  type,
  ...(call_id !== undefined && { call_id }),
});
const message: JsonObject = { type: "message" };

/** Sends items through a stream, and returns their ids at their beginnings and ends. */
function stream(ids: AnswerCallIds, items: readonly JsonObject[]): unknown[][] {
  return items.map((item, index) =>
    ["response.output_item.added", "response.output_item.done"].map(
      (type) => ids.streamed(type, index, item)["call_id"],
    ),
  );
}

function callIds(items: readonly JsonObject[]): unknown[] {
  return items.map((item) => item["call_id"]);
}

const idsBeside = (...used: string[]) => new AnswerCallIds(() => new Set(used), "turn_1_1");

describe("AnswerCallIds", () => {
  it("gives each call one id that neither the answer nor the conversation has", () => {
    const ids = idsBeside("a");
    const items = [call("a"), message, call("b"), call("b", "shell_call"), call()];
    const expected = ["a_2", undefined, "b", "b_2", "call_turn_1_1"];
    expect(stream(ids, items)).toEqual(expected.map((id) => [id, id]));
    expect(callIds(ids.whole(items))).toEqual(expected);
  });

  it("leaves items with unique ids as they are", () => {
    const ids = idsBeside("a");
    const item = call("b");
    expect(ids.streamed("response.output_item.done", 0, item)).toBe(item);
    expect(ids.whole([item])[0]).toBe(item);
  });

  it("finds the streamed ids when the last event leaves out or adds items", () => {
    const ids = idsBeside("b");
    stream(ids, [message, call("a"), call("b")]);
    expect(callIds(ids.whole([call("a"), call("b"), call("b"), call("c")]))).toEqual([
      "a",
      "b_2",
      "b_3",
      "c",
    ]);
  });

  it("tells calls apart that have the same place in a stream", () => {
    const ids = idsBeside();
    const sent = [0, 0].flatMap((index) =>
      ["response.output_item.added", "response.output_item.done"].map((type) =>
        ids.streamed(type, index, call("a")),
      ),
    );
    expect(callIds(sent)).toEqual(["a", "a", "a_2", "a_2"]);
    expect(callIds(ids.whole([call("a"), call("a")]))).toEqual(["a", "a_2"]);
  });
});

describe("collectConversationCallIds", () => {
  it("returns the ids of calls in the history, the input and the steps of a turn", () => {
    const step = {
      number: 1,
      output: [call("c", "custom_tool_call")],
      incompleteReason: undefined,
      completedAt: undefined,
      requests: [],
      results: new Map(),
    };
    const history = [call("a"), message, { type: "mcp_call", id: "mcp_1" }];
    expect([...collectConversationCallIds({ history, steps: [step] }, [call("b")])]).toEqual([
      "a",
      "mcp_1",
      "b",
      "c",
    ]);
  });
});
