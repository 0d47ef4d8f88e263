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
  return pendingApprovals(history).map(({ call, asked }, index) => {
    const approvalId = asString(asked["id"]) ?? "";
    const answer = input.findLast(
      (item) =>
        item["type"] === "mcp_approval_response" && item["approval_request_id"] === approvalId,
    );
    const refusal = refusalOf(answer);
    return answeredRequest(call, index + 1, place, { asked, approvalId, refusal });
  });
}

interface PendingApproval {
  readonly call: JsonObject;
  /** The `mcp_approval_request`. */
  readonly asked: JsonObject;
}

/** Ids of calls may come again in a thread: the call is the last before its request, the output behind it. */
function pendingApprovals(history: readonly JsonObject[]): readonly PendingApproval[] {
  return history.flatMap((item, place) => {
    if (item["type"] !== "mcp_approval_request") return [];
    const isOf = (type: string) => (one: JsonObject) =>
      one["type"] === type && one["call_id"] === item["call_id"];
    const call = history.slice(0, place).findLast(isOf("function_call"));
    const isAnswered = history.slice(place).some(isOf("function_call_output"));
    if (call === undefined || isAnswered) return [];
    return [{ call, asked: item }];
  });
}

/** Undefined: it was approved. */
function refusalOf(answer: JsonObject | undefined): string | undefined {
  if (answer === undefined) return "The call was not made: its approval was not given.";
  if (answer["approve"] === true) return undefined;
  const reason = asString(answer["reason"]);
  return `The call was not made: its approval was refused${reason ? `: ${reason}` : "."}`;
}
