import type { ToolCallPart } from "./neutral-request.ts";

/**
 * What models thought before they called a tool, for callers who send the call
 * back without it: most chat clients know no `reasoning_details`
 * (docs/dialects.md#thoughts). It is bound to the caller's key.
 */
export interface CachedReasoningLookup {
  /**
   * The sealed thoughts in front of a call, `""` for one that was too large to be
   * sealed. None: the model thought nothing that was sealed. Undefined: the call is
   * not remembered, or is not the one that the model made.
   */
  before(call: HistoryToolCall): readonly string[] | undefined;
}

/** A call as its caller has it. */
export type HistoryToolCall = Pick<ToolCallPart, "id" | "name" | "arguments">;
