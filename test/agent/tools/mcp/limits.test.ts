import { expect, test } from "vitest";
import { defaultMcpLimits } from "../../../../src/agent/tools/mcp/mcp-connection.ts";

test("[agent.tools-time] a greeting may take ten seconds and a call two minutes", () => {
  expect(defaultMcpLimits.initialize.ms).toBe(10_000);
  expect(defaultMcpLimits.call.ms).toBe(120_000);
});
