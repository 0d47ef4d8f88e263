import { describe, expect, it } from "vitest";
import { ConversionWarningCollector } from "../../../src/dialect/conversion-warning.ts";
import { readDeclaredMcpServers } from "../../../src/gateway/agent/declared-servers.ts";

const server = { type: "mcp", server_label: "shop", server_url: "https://shop.example/mcp" };
const names = Array.from({ length: 1001 }, (_, at) => `tool_${at}`);

describe("readDeclaredMcpServers", () => {
  it.each([
    ["tools[0].allowed_tools", { allowed_tools: names }],
    ["tools[0].allowed_tools.tool_names", { allowed_tools: { tool_names: names } }],
    [
      "tools[0].require_approval.never.tool_names",
      { require_approval: { never: { tool_names: names } } },
    ],
  ])("rejects more than a thousand names in %s", (param, fields) => {
    const read = (tool: object) => () =>
      readDeclaredMcpServers({ tools: [tool] }, new ConversionWarningCollector());
    const error = {
      code: "invalid_request",
      param,
      message: expect.stringContaining("1000 names"),
    };
    expect(read({ ...server, ...fields })).toThrow(expect.objectContaining(error));
    expect(read({ ...server, allowed_tools: names.slice(1) })).not.toThrow();
  });

  it("rejects more than 32 servers before it reads them", () => {
    const tools = Array.from({ length: 33 }, () => ({ type: "mcp" }));
    const error = { code: "invalid_request", param: "tools[32]" };
    expect(() => readDeclaredMcpServers({ tools }, new ConversionWarningCollector())).toThrow(
      expect.objectContaining(error),
    );
  });
});
