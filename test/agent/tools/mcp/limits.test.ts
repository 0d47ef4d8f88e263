import { expect, test } from "vitest";
import { mcpLimits } from "../../../../src/agent/tools/mcp/mcp-connection.ts";

test("[agent.tools-time] a greeting may take ten seconds and a call two minutes", () => {
  expect(mcpLimits.greeting.ms).toBe(10_000);
  expect(mcpLimits.call.ms).toBe(120_000);
});
