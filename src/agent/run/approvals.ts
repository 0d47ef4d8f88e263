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
  return pendingApprovals(history).map(({ call, asked }, index) => {
    const approvalId = asString(asked["id"]) ?? "";
    const refusal = refusalOf(answers.get(approvalId));
    return applyApprovalDecision(call, index + 1, place, { asked, approvalId, rejection: refusal });
  });
}

interface PendingApproval {
  readonly call: JsonObject;
  /** The `mcp_approval_request`. */
  readonly asked: JsonObject;
}

/** Ids of calls may come again in a thread: the call is the last before its request, the output behind it. */
function pendingApprovals(history: readonly JsonObject[]): readonly PendingApproval[] {
  const lastOutputs = new Map<unknown, number>();
  for (const [place, { type, call_id }] of history.entries())
    if (type === "function_call_output") lastOutputs.set(call_id, place);
  const calls = new Map<unknown, JsonObject>();
  // A client may repeat a request in its history: it is one call all the same.
  const pending = new Map<unknown, PendingApproval>();
  for (const [place, item] of history.entries()) {
    const { type, id, call_id } = item;
    if (type === "function_call") calls.set(call_id, item);
    if (type !== "mcp_approval_request") continue;
    const call = calls.get(call_id);
    const isAnswered = (lastOutputs.get(call_id) ?? -1) > place;
    if (call !== undefined && !isAnswered) pending.set(id, { call, asked: item });
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
