import { asString, type JsonObject } from "../../dialect/json.ts";
import {
  applyApprovalDecision,
  type AgentStepContext,
  type RequestedToolCall,
} from "./requested-tool-call.ts";

/**
 * Calls of earlier turns that wait for an approval, in their order, as this turn's input
 * answers them. What it does not answer is not called: a model is to know of each call
 * what became of it.
 */
export function resolvePendingApprovals(
  history: readonly JsonObject[],
  input: readonly JsonObject[],
  place: AgentStepContext,
): readonly RequestedToolCall[] {
  const responses = input.filter(({ type }) => type === "mcp_approval_response");
  const answers = new Map(responses.map((item) => [item["approval_request_id"], item]));
  return pendingApprovals(history).map((asked, index) => {
    const approvalId = asString(asked["id"]) ?? "";
    const refusal = refusalOf(answers.get(approvalId));
    return applyApprovalDecision(index + 1, place, { asked, approvalId, rejection: refusal });
  });
}

/**
 * Finds each `mcp_approval_request` behind a call whose output does not follow. Stored threads may
 * repeat the id of a call, so only an output behind the request belongs to it.
 */
function pendingApprovals(history: readonly JsonObject[]): readonly JsonObject[] {
  const lastOutputs = new Map<unknown, number>();
  for (const [place, { type, call_id }] of history.entries())
    if (type === "function_call_output") lastOutputs.set(call_id, place);
  const calls = new Set<unknown>();
  // A client may repeat a request in its history: it is one call all the same.
  const pending = new Map<unknown, JsonObject>();
  for (const [place, item] of history.entries()) {
    const { type, id, call_id } = item;
    if (type === "function_call") calls.add(call_id);
    if (type !== "mcp_approval_request") continue;
    const isAnswered = (lastOutputs.get(call_id) ?? -1) > place;
    if (calls.has(call_id) && !isAnswered) pending.set(id, item);
  }
  return [...pending.values()];
}

/** Undefined: it was approved. */
function refusalOf(answer: JsonObject | undefined): string | undefined {
  if (answer === undefined) return "The call was not made: its approval was not given.";
  if (answer["approve"] === true) return undefined;
  const reason = asString(answer["reason"]);
  return `The call was not made: its approval was refused${reason ? `: ${reason}` : "."}`;
}
