import { describe, expect, it } from "vitest";
import { asArrayOrEmpty } from "../../../src/dialect/json.ts";
import { fromChat, tool } from "../../support/messages-upstream.ts";

describe("structured output", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 }, v: { oneOf: [{ $ref: "#/$defs/v" }] } },
    required: ["n"],
    additionalProperties: false,
    $defs: { v: { type: "object", properties: { w: { type: "string" } } } },
  };
  const format = { type: "json_schema", json_schema: { name: "r", schema, strict: true } };

  it("[request.schema] the schema is reduced and told", () => {
    const { body, warnings } = fromChat({ response_format: format });
    expect(body["output_config"]).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            n: { type: "integer", description: "{minimum: 1}" },
            v: { anyOf: [{ $ref: "#/$defs/v" }] },
          },
          required: ["n"],
          additionalProperties: false,
          $defs: {
            v: {
              type: "object",
              properties: { w: { type: "string" } },
              additionalProperties: false,
            },
          },
        },
      },
    });
    expect(warnings).toEqual(["response_format approximated schema"]);
  });

  it("[request.schema-optional] without formats the model answers through a hidden tool, forced if it is alone", () => {
    const { body, restoreInfo: recall } = fromChat(
      { response_format: format },
      { structuredOutput: "tool" },
    );
    expect(body["tools"]).toMatchObject([{ name: "json", input_schema: schema }]);
    expect(body["tool_choice"]).toEqual({
      type: "tool",
      name: "json",
      disable_parallel_tool_use: true,
    });
    expect(recall.jsonTool).toBe("json");
  });

  it("[function.hidden-tool] beside tools of the caller it is not forced, and has a name of its own", () => {
    const { body, restoreInfo: recall } = fromChat(
      { response_format: format, tools: [tool("json")] },
      { structuredOutput: "tool" },
    );
    expect(asArrayOrEmpty(body["tools"])).toHaveLength(2);
    expect(body).not.toHaveProperty("tool_choice");
    expect(recall.jsonTool).toBe("json_");
  });

  it("a JSON object without a schema is asked for in words", () => {
    const { body, warnings } = fromChat({ response_format: { type: "json_object" } });
    expect(body["system"]).toEqual([
      { type: "text", text: "Answer with one JSON object and nothing else." },
    ]);
    expect(warnings).toEqual(["response_format approximated unsupported"]);
  });
});
