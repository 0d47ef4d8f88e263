import { describe, expect, it } from "vitest";
import {
  emptyToolNameRestoreInfo,
  type ToolNameRestoreInfo,
} from "../../src/dialect/restore-info.ts";
import {
  restoreResponseToolCalls,
  createToolCallRestorer,
} from "../../src/dialect/restore-tool-calls.ts";
import { neutralEventsToResponse } from "../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../src/dialect/neutral-event.ts";

const recall: ToolNameRestoreInfo = {
  tools: new Map([
    ["files__read", { name: "read", namespace: "files", kind: "function" }],
    ["patch", { name: "patch", namespace: undefined, kind: "custom" }],
  ]),
  jsonTool: "json",
  callIds: new Set(["call_0"]),
  stop: [],
};

function call(
  index: number,
  name: string,
  id: string,
  ...fragments: readonly string[]
): NeutralEvent[] {
  return [
    { type: "part-start", index, part: { type: "tool-call", kind: "function", id, name } },
    ...fragments.map((text): NeutralEvent => ({
      type: "part-delta",
      index,
      delta: { type: "arguments", text },
    })),
    { type: "part-end", index },
  ];
}

const toolEnd: NeutralEvent = { type: "response-end", reason: "tool-calls", raw: "tool_calls" };

function restored(events: readonly NeutralEvent[], told = recall) {
  const machine = createToolCallRestorer(told, "01");
  const state = machine.start();
  return events.flatMap((event) => machine.step(state, event));
}

/** Part of the answer, and the pieces of its arguments. */
function only(events: readonly NeutralEvent[]) {
  const out = restored(events);
  const pieces = out.flatMap((event) =>
    event.type === "part-delta" && "text" in event.delta ? [event.delta.text] : [],
  );
  return { part: neutralEventsToResponse(out).parts[0], pieces };
}

describe("restoring of calls", () => {
  it("[function.namespace] gives name and namespace back", () => {
    expect(only(call(0, "files__read", "call_1", "{}")).part).toMatchObject({
      name: "read",
      namespace: "files",
      kind: "function",
    });
  });

  it("[function.ids-of-answer] makes ids valid and new", () => {
    const ids = neutralEventsToResponse(
      restored([...call(0, "a", "Bash:0"), ...call(1, "a", "call_0"), ...call(2, "a", "")]),
    ).parts.map((part) => (part.type === "tool-call" ? part.id : ""));
    expect(ids).toEqual(["Bash_0", "call_0_2", "call_01"]);
  });

  it("[function.no-arguments] a call without arguments has {}", () => {
    expect(only(call(0, "a", "x")).part).toMatchObject({ arguments: "{}" });
    expect(only(call(0, "a", "x", "", "")).part).toMatchObject({ arguments: "{}" });
  });

  it("[function.cut-arguments] does not repair what was cut off", () => {
    expect(only(call(0, "a", "x", '{"a":', "[1")).part).toMatchObject({ arguments: '{"a":[1' });
  });

  it("unwraps a custom tool as it comes", () => {
    const { part, pieces } = only(
      call(0, "patch", "x", '{"inp', 'ut": "*** Be', "gin\\", 'n+a \\"b\\""}'),
    );
    expect(part).toMatchObject({ kind: "custom", name: "patch", arguments: '*** Begin\n+a "b"' });
    expect(pieces).toEqual(["*** Be", "gin", '\n+a "b"']);
  });

  it("unwraps the same text wherever the pieces are cut", () => {
    const text = 'a"b\\c\n\t\u0001é😀 𝄞 \ud83d end';
    const ascii = JSON.stringify({ input: text }).replaceAll(
      /[^\0-~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    for (const json of [ascii, JSON.stringify({ input: text })]) {
      for (let cut = 0; cut <= json.length; cut += 1) {
        const { part } = only(call(0, "patch", "x", json.slice(0, cut), json.slice(cut)));
        expect(part).toMatchObject({ arguments: text });
      }
    }
  });

  it.each([
    ['{"patch":"text"}', "text"],
    ["plain words", "plain words"],
    ['{"input":["a"]}', '{"input":["a"]}'],
    ['{"input":"line\nbreak\\u00e9"}', "line\nbreaké"],
    ['{"input":"bad \\uZZ escape"}', 'bad \\uZZ escape"}'],
    ['{"input":"cut off \\u00', "cut off "],
    ["{}", ""],
    ["", ""],
  ])("takes what models write instead of the wrapper: %s", (json, text) => {
    expect(only(call(0, "patch", "x", json)).part).toMatchObject({ arguments: text });
  });

  it.each([
    ["an escaped backslash before the letters of an escape", ["a\\\\ud83d", '"}'], ["a\\ud83d"]],
    ["a pair that comes in two pieces", ["a\\ud83d", '\\ude00"}'], ["a", "\u{1F600}"]],
    ["half of a pair", ["a\\ud83d", 'b"}'], ["a", "\ud83db"]],
    ["an escape that comes in pieces", ["a\\", "u00", '41"}'], ["a", "A"]],
    ["an escape that there is not", ["a\\uZZ41", 'b"}'], ["a", '\\uZZ41b"}']],
  ])("unwraps a custom tool with %s", (_what, fragments, pieces) => {
    expect(only(call(0, "patch", "call_1", '{"input":"', ...fragments)).pieces).toEqual(pieces);
  });

  it("leaves a custom call that was not wrapped", () => {
    const head = { type: "tool-call", kind: "custom", id: "x", name: "patch" } as const;
    const answer = neutralEventsToResponse(
      restored([
        { type: "part-start", index: 0, part: head },
        { type: "part-delta", index: 0, delta: { type: "arguments", text: '{"input":"a"}' } },
        { type: "part-end", index: 0 },
      ]),
    );
    expect(answer.parts[0]).toMatchObject({ kind: "custom", arguments: '{"input":"a"}' });
  });

  it("gives the hidden tool's input as text that ended by itself", () => {
    const answer = neutralEventsToResponse(
      restored([...call(0, "json", "x", '{"a"', ":1}"), toolEnd]),
    );
    expect(answer.parts[0]).toMatchObject({ type: "text", text: '{"a":1}' });
    expect(answer.end?.reason).toBe("end");
  });

  it("[function.hidden-tool] a call of the caller's own tool stays one", () => {
    const answer = neutralEventsToResponse(restored([...call(0, "a", "x", "{}"), toolEnd]));
    expect(answer.parts[0]).toMatchObject({ type: "tool-call", name: "a" });
    expect(answer.end?.reason).toBe("tool-calls");
    const both = neutralEventsToResponse(
      restored([...call(0, "json", "y"), ...call(1, "a", "x"), toolEnd]),
    );
    expect(both.parts).toMatchObject([{ type: "text", text: "{}" }, { type: "tool-call" }]);
    expect(both.end?.reason).toBe("tool-calls");
  });

  it("restores a whole answer alike", () => {
    const events = [
      ...call(0, "files__read", "call_0"),
      ...call(1, "patch", "p", '{"input":"a"}'),
      toolEnd,
    ];
    expect(restoreResponseToolCalls(neutralEventsToResponse(events), recall, "01")).toEqual(
      neutralEventsToResponse(restored(events)),
    );
  });

  it("changes nothing where nothing is to be recalled", () => {
    const events = [...call(0, "a", "x", "{}"), toolEnd];
    expect(restored(events, emptyToolNameRestoreInfo)).toEqual(events);
  });
});
