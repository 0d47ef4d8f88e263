import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { decode } from "../../support/messages-caller.ts";

describe("controls", () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { thinking: { type: "enabled", budget_tokens: 2048 } },
      { path: "thinking", mode: "budget", budgetTokens: 2048, wantsEncrypted: true },
    ],
    [
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "xhigh" } },
      { path: "thinking", mode: "adaptive", effort: "xhigh", summary: "summarized" },
    ],
    [{ thinking: { type: "disabled" } }, { path: "thinking", mode: "disabled" }],
    [
      { output_config: { effort: "low" } },
      { path: "output_config.effort", mode: "effort", effort: "low", wantsEncrypted: true },
    ],
  ])("reads how the model shall think from %j", (fields, control) => {
    expect(decode(fields).turn.reasoning).toMatchObject(control);
  });

  it("thinking between tools is adaptive, and that is told", () => {
    const { turn, losses } = decode({ thinking: { type: "between_tools" } });
    expect(turn.reasoning?.mode).toBe("adaptive");
    expect(losses).toEqual(["thinking.type unsupported"]);
  });

  it.each<[JsonObject, unknown, boolean | undefined]>([
    [{ type: "auto", disable_parallel_tool_use: true }, { kind: "auto" }, false],
    [{ type: "any" }, { kind: "required" }, undefined],
    [{ type: "tool", name: "f" }, { kind: "tool", name: "f" }, undefined],
    [{ type: "none" }, { kind: "none" }, undefined],
  ])("reads the tool_choice %j", (choice, read, parallel) => {
    const { turn } = decode({ tool_choice: choice });
    expect(turn.toolChoice).toMatchObject(read as object);
    expect(turn.parallelToolCalls).toBe(parallel);
  });

  it("[function.schema] only the schema is a tool's parameters", () => {
    const { turn } = decode({
      tools: [
        {
          type: "custom",
          name: "f",
          input_schema: { type: "object" },
          defer_loading: true,
          input_examples: [{}],
        },
        { type: "web_search_20260318", name: "web_search" },
      ],
    });
    expect(turn.tools).toMatchObject([
      {
        type: "function",
        parameters: { type: "object" },
        extras: [
          { name: "defer_loading", path: "tools[0].defer_loading" },
          { name: "input_examples", path: "tools[0].input_examples" },
        ],
      },
      { type: "hosted", name: "web_search_20260318", path: "tools[1]" },
    ]);
  });

  it.each(["output_format", "output_config"])(
    "[request.schema-optional] reads the schema of %s untouched",
    (name) => {
      const schema = { type: "object", properties: { a: {}, b: {} }, required: ["a"] };
      const format = { type: "json_schema", schema };
      const fields = name === "output_format" ? { [name]: format } : { [name]: { format } };
      expect(decode(fields).turn.format).toMatchObject({ kind: "schema", schema });
    },
  );
});
