import { describe, expect, it } from "vitest";
import {
  calls,
  fromChat,
  fromResponses,
  messagesOf,
  result,
} from "../../support/messages-upstream.ts";
import { refusedParam } from "../../support/transcoding.ts";

describe("conversation", () => {
  it("[function.results-first] results first, in the order of the calls, then the text", () => {
    const messages = [
      { role: "user", content: "hi" },
      calls("a", "b"),
      result("b", "2"),
      result("a", "1"),
      { role: "user", content: "go on" },
    ];
    expect(messagesOf(fromChat({ messages })).slice(2)).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "1" },
          { type: "tool_result", tool_use_id: "b", content: "2" },
          { type: "text", text: "go on" },
        ],
      },
    ]);
  });

  it("[function.empty-arguments] arguments that are empty are the empty object", () => {
    const history = calls("a");
    const [first] = history.tool_calls;
    if (first !== undefined) first.function.arguments = "";
    const messages = [{ role: "user", content: "hi" }, history, result("a")];
    expect(messagesOf(fromChat({ messages }))[1]).toMatchObject({ content: [{ input: {} }] });
  });

  it.each(["[1]", "7", "{", '"a"'])("arguments %s are refused by their place", (text) => {
    const history = calls("a");
    const [first] = history.tool_calls;
    if (first !== undefined) first.function.arguments = text;
    const messages = [{ role: "user", content: "hi" }, history, result("a")];
    expect(refusedParam(() => fromChat({ messages }))).toBe(
      "messages[1].tool_calls[0].function.arguments",
    );
  });

  it("[function.ids-of-history] a call id is made valid, the same way in every turn", () => {
    const messages = [
      { role: "user", content: "hi" },
      calls("functions.Bash:0"),
      result("functions.Bash:0"),
    ];
    const [, call, answer] = messagesOf(fromChat({ messages }));
    expect(call).toMatchObject({ content: [{ id: "functions_Bash_0" }] });
    expect(answer).toMatchObject({ content: [{ tool_use_id: "functions_Bash_0" }] });
    const longer = [
      ...messages,
      { role: "assistant", content: "a" },
      { role: "user", content: "b" },
    ];
    expect(messagesOf(fromChat({ messages: longer })).slice(0, 3)).toEqual(
      messagesOf(fromChat({ messages })),
    );
  });

  it.each(["", " \n", null])(
    "[request.empty-text] gives no text block where the content beside calls is %j",
    (content) => {
      const messages = [{ role: "user", content: "hi" }, { ...calls("a"), content }, result("a")];
      expect(messagesOf(fromChat({ messages }))[1]).toEqual({
        role: "assistant",
        content: [{ type: "tool_use", id: "a", name: "f", input: {} }],
      });
    },
  );

  it("consecutive messages of a role are one", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c" },
      { role: "assistant", content: "d" },
      { role: "user", content: "" },
      { role: "user", content: "e" },
    ];
    expect(messagesOf(fromChat({ messages }))).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "c" },
          { type: "text", text: "d" },
        ],
      },
      { role: "user", content: "e" },
    ]);
  });

  it("nothing to say is refused", () => {
    expect(refusedParam(() => fromChat({ messages: [{ role: "user", content: " " }] }))).toBe(
      "messages",
    );
    expect(refusedParam(() => fromResponses({ input: "" }))).toBe("input");
  });

  it("an answer that the caller began loses its trailing white space", () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "It is: \n" },
    ];
    expect(messagesOf(fromChat({ messages }))[1]).toEqual({ role: "assistant", content: "It is:" });
  });

  it("names are dropped with a warning", () => {
    const messages = [{ role: "user", content: "hi", name: "ann" }];
    expect(fromChat({ messages }).warnings).toEqual(["messages[0].name dropped unsupported"]);
  });

  const middle = [
    { role: "user", content: "a" },
    { role: "system", content: "rule" },
    { role: "user", content: "b" },
  ];

  it("[request.system-in-the-middle] a system message in the middle stays in place where the model knows it", () => {
    const { warnings, ...native } = fromChat(
      { messages: middle },
      { midConversationSystem: "native" },
    );
    expect(messagesOf(native)).toEqual([
      { role: "user", content: "a" },
      { role: "system", content: "rule" },
      { role: "user", content: "b" },
    ]);
    expect(warnings).toEqual([]);
  });

  it("[request.system-in-the-middle] else it is a marked text of the user, in its place", () => {
    const { warnings, ...demoted } = fromChat({ messages: middle });
    expect(messagesOf(demoted)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "<system-reminder>\nrule\n</system-reminder>" },
          { type: "text", text: "b" },
        ],
      },
    ]);
    expect(warnings).toEqual(["messages[1] approximated position"]);
  });

  it("or goes to the front", () => {
    const { body, warnings } = fromChat({ messages: middle }, { midConversationSystem: "hoist" });
    expect(body["system"]).toEqual([{ type: "text", text: "rule" }]);
    expect(warnings).toEqual(["messages[1] approximated position"]);
  });

  it("does not stand behind an answer, even where it is known", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "system", content: "rule" },
      { role: "user", content: "c" },
    ];
    const native = fromChat({ messages }, { midConversationSystem: "native" });
    expect(messagesOf(native).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("[request.agent-history] calls and texts of one answer: the calls come last", () => {
    const input = [
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "wait" }] },
      { type: "function_call_output", call_id: "a", output: "ok" },
    ];
    expect(messagesOf(fromResponses({ input }))[1]).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "wait" },
        { type: "tool_use", id: "a", name: "f", input: {} },
      ],
    });
  });
});
