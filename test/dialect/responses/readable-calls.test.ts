import { describe, expect, it } from "vitest";
import { invalidArgumentsMessage } from "../../../src/dialect/call-arguments.ts";
import { replaceInvalidToolArguments } from "../../../src/dialect/responses/model-items.ts";

const call = (text: unknown, call_id = "call_1") => ({
  type: "function_call",
  call_id,
  name: "weather",
  arguments: text,
});
const output = (said: unknown, call_id = "call_1") => ({
  type: "function_call_output",
  call_id,
  output: said,
});
const error = `Error: ${invalidArgumentsMessage}`;

describe("readableCalls", () => {
  it.each(['{"city":"Os', "null", "{}{}", "[]", '"Oslo"', "7", "true", "Oslo", "{}}", "{'a':1}"])(
    "writes an object for %j, with an error before the output",
    (text) => {
      const read = replaceInvalidToolArguments([call(text), output("wet")]);
      expect(read).toEqual([call("{}"), output(`${error}\nwet`)]);
      expect(replaceInvalidToolArguments(read)).toEqual(read);
    },
  );

  it.each(["", " \n", undefined])("writes an object for %j, and no error", (text) => {
    expect(replaceInvalidToolArguments([call(text), output("wet")])).toEqual([
      call("{}"),
      output("wet"),
    ]);
  });

  it.each(["{}", ' { "city": "Oslo" } ', '{"id":9007199254740993}'])(
    "leaves %j as it is, byte for byte",
    (text) => {
      const items = [call(text), output("wet")];
      expect(replaceInvalidToolArguments(items)).toEqual(items);
    },
  );

  it("adds no second error where the output is one, and puts one before parts", () => {
    const parts = [{ type: "input_text", text: "wet" }];
    expect(replaceInvalidToolArguments([call("null"), output(error)])).toEqual([
      call("{}"),
      output(error),
    ]);
    expect(replaceInvalidToolArguments([call("null"), output(parts)])).toEqual([
      call("{}"),
      output([{ type: "input_text", text: error }, ...parts]),
    ]);
  });

  it("takes the output behind each of two calls that share an id", () => {
    const items = [
      call("null"),
      output("one"),
      call("{}"),
      output("two"),
      call("7"),
      output("three"),
    ];
    expect(
      replaceInvalidToolArguments(items).map((item) => item["output"] ?? item["arguments"]),
    ).toEqual(["{}", `${error}\none`, "{}", "two", "{}", `${error}\nthree`]);
  });

  it("leaves a call that waits for its output, and other items", () => {
    const items = [
      call("null"),
      output("other", "call_2"),
      { type: "custom_tool_call", call_id: "call_3", name: "run", input: "null" },
      { type: "message", role: "user", content: "null" },
    ];
    expect(replaceInvalidToolArguments(items)).toEqual(items);
  });
});
