import type { ToolResult } from "../domain/agent-turn.ts";

/** A result in words of ours: it says why there is none. */
export function toolError(text: string): ToolResult {
  return { output: [{ type: "input_text", text }], isError: true };
}
