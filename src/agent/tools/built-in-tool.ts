import type { JsonObject } from "../../platform/json-value.ts";

/** A tool that this program answers by itself, without a server of somebody's. */
export interface BuiltInTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
  /** Rejects only when aborted, or with a fault of ours: what it refuses is an answer. */
  call(input: JsonObject, signal: AbortSignal): Promise<BuiltInToolResult>;
}

/** What a tool of ours says. */
export interface BuiltInToolResult {
  readonly text: string;
  readonly isError: boolean;
}
