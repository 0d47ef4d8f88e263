import { asString, type JsonObject } from "../../dialect/json.ts";

/**
 * Items that a client has kept itself, with the call in front of each request for an
 * approval, which clients are not told: a thread knows the request by its call. A call that
 * was made is told by its `mcp_call` alone, and a request that was passed over by nothing. A
 * request or an answer that is repeated counts once. A request that is not proven (`isProven`) waits
 * for nothing: the model reads its call, if it was answered.
 */
export function insertToolCallsBeforeApprovals(
  items: readonly JsonObject[],
  isProven: (request: JsonObject) => boolean,
): readonly JsonObject[] {
  const proven = new Set(items.filter((item) => isRequest(item) && isProven(item)));
  const made = new Set(items.flatMap((item) => madeFor(item) ?? []));
  const answers = new Set(items.flatMap((item) => answerTo(item) ?? []));
  const lastMessage = items.findLastIndex(({ type }) => type === "message");
  const requests = new Set(
    items.flatMap((item, place) => {
      const id = requestId(item);
      const isTold =
        id !== undefined &&
        !made.has(id) &&
        ((place > lastMessage && proven.has(item)) || answers.has(id));
      return isTold ? [id] : [];
    }),
  );
  const answered = new Set([...requests].filter((id) => answers.has(id)));
  return items.flatMap((item) => {
    const [request, answer] = [requestId(item), answerTo(item)];
    if (request !== undefined)
      return requests.delete(request) ? callOf(item).slice(0, proven.has(item) ? 2 : 1) : [];
    if (isRequest(item) && !proven.has(item)) return [];
    if (answer !== undefined) return answered.delete(answer) ? [answerOf(item)] : [];
    return [item];
  });
}

function isRequest({ type }: JsonObject): boolean {
  return type === "mcp_approval_request";
}

/** Of a request that has no call yet: that of a thread has one. */
function requestId({ type, id, call_id }: JsonObject): string | undefined {
  return type === "mcp_approval_request" && call_id === undefined ? asString(id) : undefined;
}

function answerTo({ type, approval_request_id: id }: JsonObject): string | undefined {
  return type === "mcp_approval_response" ? asString(id) : undefined;
}

function madeFor({ type, approval_request_id: id }: JsonObject): string | undefined {
  return type === "mcp_call" ? asString(id) : undefined;
}

function callOf(item: JsonObject): readonly JsonObject[] {
  const { id, name, arguments: text } = item;
  const call_id = callIdOf(id);
  return [
    { type: "function_call", call_id, name, arguments: text },
    { ...item, call_id },
  ];
}

function answerOf({ approval_request_id: id, approve, reason }: JsonObject): JsonObject {
  const why = asString(reason);
  const output =
    approve === true
      ? "The call was approved; what came of it was not sent back."
      : `The call was not made: its approval was refused${why ? `: ${why}` : "."}`;
  return { type: "function_call_output", call_id: callIdOf(id), output };
}

/** Vendors take ids of calls with at most 64 characters. */
function callIdOf(requestId: unknown): string {
  return String(requestId).slice(0, 64);
}
