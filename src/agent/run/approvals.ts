import { asString, type JsonObject } from "../../dialect/json.ts";
import { answeredRequest, type RequestPlace, type ToolRequest } from "./tool-request.ts";

/**
 * Calls of earlier turns that wait for an approval, in their order, as this turn's input
 * answers them. What it does not answer is not called: a model is to know of each call
 * what became of it.
 */
export function approvedRequests(
  history: readonly JsonObject[],
  input: readonly JsonObject[],
  place: RequestPlace,
): readonly ToolRequest[] {
  return pendingApprovals(history).map(({ call, approvalId }, index) => {
    const answer = input.findLast(
      (item) =>
        item["type"] === "mcp_approval_response" && item["approval_request_id"] === approvalId,
    );
    const refusal = refusalOf(answer);
    return answeredRequest(call, index + 1, place, { approvalId, refusal });
  });
}

interface PendingApproval {
  readonly call: JsonObject;
  readonly approvalId: string;
}

function pendingApprovals(history: readonly JsonObject[]): readonly PendingApproval[] {
  const answered = new Set(
    history.flatMap((item) => (item["type"] === "function_call_output" ? [item["call_id"]] : [])),
  );
  return history.flatMap((item) => {
    const callId = item["call_id"];
    if (item["type"] !== "mcp_approval_request" || answered.has(callId)) return [];
    const call = history.find(
      (one) => one["type"] === "function_call" && one["call_id"] === callId,
    );
    return call === undefined ? [] : [{ call, approvalId: asString(item["id"]) ?? "" }];
  });
}

/** Undefined: it was approved. */
function refusalOf(answer: JsonObject | undefined): string | undefined {
  if (answer === undefined) return "The call was not made: its approval was not given.";
  if (answer["approve"] === true) return undefined;
  const reason = asString(answer["reason"]);
  return `The call was not made: its approval was refused${reason ? `: ${reason}` : "."}`;
}
