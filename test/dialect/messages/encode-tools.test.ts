import { describe, expect, it } from "vitest";
import { fromChat, fromResponses, tool } from "../../support/messages-upstream.ts";
import { refusedParam } from "../../support/transcoding.ts";

describe("tools", () => {
  const tools = [tool("f"), tool("g")];

  it.each<[unknown, unknown, number]>([
    ["required", { type: "any" }, 2],
    ["auto", { type: "auto" }, 2],
    ["none", { type: "none" }, 2],
    [{ type: "function", function: { name: "g" } }, { type: "tool", name: "g" }, 2],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "g" } }] },
      },
      { type: "any" },
      1,
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "g" } }] },
      },
      { type: "auto" },
      1,
    ],
  ])(
    "[function.choice] sends chat's tool_choice %j in the form of messages",
    (choice, written, count) => {
      const { body } = fromChat({ tools, tool_choice: choice });
      expect(body["tool_choice"]).toEqual(written);
      expect(body["tools"]).toHaveLength(count);
    },
  );

  it("a choice of a tool that is not there is refused", () => {
    const choice = { type: "function", function: { name: "nope" } };
    expect(refusedParam(() => fromChat({ tools, tool_choice: choice }))).toBe("tool_choice");
  });

  it("[function.parallel] one call at a time is said inside the choice, made if there is none", () => {
    expect(fromChat({ tools, parallel_tool_calls: false }).body["tool_choice"]).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    expect(
      fromChat({ tools, parallel_tool_calls: false, tool_choice: "none" }).body["tool_choice"],
    ).toEqual({ type: "none" });
    expect(fromChat({ tools, parallel_tool_calls: true }).body).not.toHaveProperty("tool_choice");
  });

  it.each([
    [undefined, { type: "object", properties: {} }],
    [{ properties: { a: {} } }, { type: "object", properties: { a: {} } }],
    [
      { type: "object", additionalProperties: true },
      { type: "object", additionalProperties: true },
    ],
  ])("sends the parameters %j as the input schema %j", (parameters, schema) => {
    const { body } = fromChat({ tools: [tool("f", { parameters })] });
    expect(body["tools"]).toEqual([{ name: "f", input_schema: schema }]);
  });

  it("[function.strict] a strict tool stays strict and keeps its constants", () => {
    const parameters = {
      type: "object",
      properties: { kind: { const: "a" }, size: { type: "integer" } },
      required: ["kind", "size"],
      additionalProperties: false,
    };
    const { body, warnings } = fromChat({ tools: [tool("f", { parameters, strict: true })] });
    expect(body["tools"]).toEqual([{ name: "f", input_schema: parameters, strict: true }]);
    expect(warnings).toEqual([]);
  });

  it("a strict tool's schema is reduced, or the strictness is not asked for", () => {
    const parameters = { type: "object", properties: { n: { type: "integer", minimum: 1 } } };
    const strict = { tools: [tool("f", { parameters, strict: true })] };
    expect(fromChat(strict).warnings).toEqual(["tools[0] approximated schema"]);
    const { body, warnings } = fromChat(strict, { strictTools: false });
    expect(body["tools"]).toEqual([{ name: "f", input_schema: parameters }]);
    expect(warnings).toEqual(["tools[0] approximated model"]);
  });

  it("a tool of free text is wrapped", () => {
    const custom = { type: "custom", custom: { name: "patch", description: "Edits." } };
    const { body, warnings, restoreInfo: recall } = fromChat({ tools: [custom] });
    expect(body["tools"]).toMatchObject([
      { name: "patch", description: "Edits.", input_schema: { required: ["input"] } },
    ]);
    expect(warnings).toEqual(["tools[0] approximated wrapped"]);
    expect(recall.tools.get("patch")).toMatchObject({ kind: "custom" });
  });

  it("[function.vendor-tools] a vendor's own tool is refused", () => {
    expect(refusedParam(() => fromResponses({ tools: [{ type: "code_interpreter" }] }))).toBe(
      "tools[0].type",
    );
  });

  it("[function.namespace] a tool in a namespace is flattened", () => {
    const inner = { type: "function", name: "read", parameters: { type: "object" } };
    const { body, restoreInfo: recall } = fromResponses({
      tools: [{ type: "namespace", name: "fs", description: "", tools: [inner] }],
    });
    expect(body["tools"]).toMatchObject([{ name: "fs__read" }]);
    expect(recall.tools.get("fs__read")).toMatchObject({ name: "read", namespace: "fs" });
  });
});
