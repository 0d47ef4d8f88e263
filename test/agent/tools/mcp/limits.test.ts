import { expect, test } from "vitest";
import { defaultMcpServerLimits } from "../../../../src/agent/tools/mcp/mcp-connection.ts";

test("[agent.tools-time] a greeting may take ten seconds and a call two minutes", () => {
  expect(defaultMcpServerLimits.initialize.ms).toBe(10_000);
  expect(defaultMcpServerLimits.call.ms).toBe(120_000);
});
