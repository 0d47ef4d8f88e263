import type { AgentToolResult } from "../domain/agent-turn.ts";

/** A result in words of ours: it says why there is none. */
export function createAgentToolErrorResult(text: string): AgentToolResult {
  return { output: [{ type: "input_text", text }], isError: true };
}
