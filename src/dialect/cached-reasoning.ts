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
   * not remembered, or is not the one that the model made, or its reasoning was taken
   * before: a history that repeats a call would multiply it. Throws for more than the
   * request may hold.
   */
  take(call: HistoryToolCall): readonly string[] | undefined;
  /** Whether the call is remembered, taken or not. */
  has(call: HistoryToolCall): boolean;
}

/** A call as its caller has it. */
export type HistoryToolCall = Pick<ToolCallPart, "id" | "name" | "arguments">;
