import { asString, type JsonObject } from "../../dialect/json.ts";
import type { NeutralRequest } from "../../dialect/neutral-request.ts";
import type { ThreadConversation } from "../../domain/agent-thread.ts";
import { invalidRequestError } from "../../platform/errors.ts";

/** Throws 400 for a result, or an approval, of what the thread does not wait for. */
export function rejectUnknownCallerToolReplies(
  { openToolCalls: openCalls, openApprovals }: ThreadConversation,
  added: readonly JsonObject[],
  turn: NeutralRequest,
): void {
  const seen = new Set<string>();
  for (const item of added) {
    const callId = readToolOutputCallId(item);
    const approval = approvalOf(item);
    const [id, open] = callId === undefined ? [approval, openApprovals] : [callId, openCalls];
    if (id === undefined) continue;
    if (!open.has(id) || seen.has(id)) throw unknown(id, findToolResultPath(turn, id));
    seen.add(id);
  }
}

/** Id of the call whose result an item is; undefined: it is no result. */
export function readToolOutputCallId({ type, call_id }: JsonObject): string | undefined {
  return asString(type)?.endsWith("_output") === true ? asString(call_id) : undefined;
}

function approvalOf({ type, approval_request_id }: JsonObject): string | undefined {
  return type === "mcp_approval_response" ? asString(approval_request_id) : undefined;
}

/** Path of the result of a call, or of an approval, in the caller's request. */
export function findToolResultPath({ messages }: NeutralRequest, id: string): string {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts) {
      if (part.type === "tool-result" && part.callId === id) return part.path;
      const isApproval = part.type === "opaque" && part.raw["approval_request_id"] === id;
      if (isApproval) return part.path.replace(/\.type$/, "");
    }
  }
  return "input";
}

function unknown(id: string, param: string): Error {
  return invalidRequestError(
    param,
    `The thread waits for no result of \`${id}\`: it has no such call, or the call has been answered.`,
  );
}
