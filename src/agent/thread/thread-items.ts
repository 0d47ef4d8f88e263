import { asString, type JsonObject } from "../../dialect/json.ts";
import type { TurnConversationItems } from "../../domain/durable-turn.ts";

/** What the model is told where a caller went on without the result of a call. */
const unanswered = "The caller went on without a result of this call.";

/**
 * The items of a thread in the order in which a model reads them: what stood before it, then
 * what each turn added. Calls that the next turn does not answer get a result that says
 * so, and results whose call was deleted with its turn are left out: no dialect takes one
 * without the other.
 */
export function buildThreadItems(
  history: readonly JsonObject[],
  turns: readonly TurnConversationItems[],
): readonly JsonObject[] {
  const items: JsonObject[] = [];
  const calls = new OpenCalls();
  const add = (item: JsonObject): void => {
    if (isResult(item) && !calls.has(item["call_id"])) return;
    items.push(item);
    calls.add(item);
  };
  for (const item of history) add(item);
  for (const { input, items: added = input } of turns) {
    for (const call of calls.unanswered(input)) add(noResult(call));
    for (const item of added) add(item);
  }
  return items;
}

/** Items before an input, with a result for each of their calls that the input does not answer. */
export function addMissingToolOutputs(
  items: readonly JsonObject[],
  input: readonly JsonObject[],
): readonly JsonObject[] {
  const calls = new OpenCalls();
  for (const item of items) calls.add(item);
  const left = calls.unanswered(input);
  return left.length === 0 ? items : [...items, ...left.map(noResult)];
}

const callTypes: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"]);
const resultTypes: ReadonlySet<string> = new Set([
  "function_call_output",
  "custom_tool_call_output",
]);

/** Ids of the calls whose results a caller may send; those that wait for an approval are not among them. */
export function findAnswerableToolCallIds(items: readonly JsonObject[]): ReadonlySet<string> {
  const asked = new Set(items.filter(isApprovalRequest).map(({ call_id }) => call_id));
  const open = openCalls(items).filter(({ call_id }) => !asked.has(call_id));
  return new Set(open.map(({ call_id }) => String(call_id)));
}

/** Ids of the requests for an approval that nobody has answered. */
export function findPendingApprovalIds(items: readonly JsonObject[]): ReadonlySet<string> {
  const open = new Set(openCalls(items).map(({ call_id }) => call_id));
  const requests = items.filter((item) => isApprovalRequest(item) && open.has(item["call_id"]));
  return new Set(requests.map(({ id }) => String(id)));
}

/** Calls that have no result yet. */
function openCalls(items: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(items.flatMap((item) => (isResult(item) ? [item["call_id"]] : [])));
  return items.filter((item) => isCall(item) && !answered.has(item["call_id"]));
}

/** Finds the calls of items that have no result, item by item: a thread may have many turns. */
class OpenCalls {
  readonly #ids = new Set<unknown>();
  readonly #results = new Set<unknown>();
  /** Calls without a result, in their order, and by their ids. */
  readonly #open = new Set<JsonObject>();
  readonly #byId = new Map<unknown, JsonObject[]>();
  /** Ids of calls by the ids of the first requests for their approval. */
  readonly #approvals = new Map<unknown, unknown>();

  /** Takes the next item. */
  add(item: JsonObject): void {
    const { id, call_id } = item;
    if (isCall(item)) this.#ids.add(call_id);
    if (isResult(item)) this.#close(call_id);
    else if (isCall(item) && !this.#results.has(call_id)) this.#begin(item);
    else if (isApprovalRequest(item) && !this.#approvals.has(id)) this.#approvals.set(id, call_id);
  }

  /** Whether a call with this id was added. */
  has(id: unknown): boolean {
    return this.#ids.has(id);
  }

  /** The calls that have no result and get none by an input. */
  unanswered(input: readonly JsonObject[]): readonly JsonObject[] {
    const answered = new Set(input.flatMap((item) => resolvedBy(this.#approvals, item) ?? []));
    return [...this.#open].filter(({ call_id }) => !answered.has(String(call_id)));
  }

  #begin(call: JsonObject): void {
    this.#open.add(call);
    const calls = this.#byId.get(call["call_id"]);
    if (calls === undefined) this.#byId.set(call["call_id"], [call]);
    else calls.push(call);
  }

  #close(id: unknown): void {
    this.#results.add(id);
    for (const call of this.#byId.get(id) ?? []) this.#open.delete(call);
    this.#byId.delete(id);
  }
}

/** Id of the call that an item of a caller answers, with a result or an approval; undefined: none. */
function resolvedBy(calls: ReadonlyMap<unknown, unknown>, item: JsonObject): string | undefined {
  if (isResult(item)) return asString(item["call_id"]);
  if (item["type"] !== "mcp_approval_response") return undefined;
  return asString(calls.get(item["approval_request_id"]));
}

function isApprovalRequest({ type }: JsonObject): boolean {
  return type === "mcp_approval_request";
}

function isCall({ type }: JsonObject): boolean {
  return callTypes.has(asString(type) ?? "");
}

function isResult({ type }: JsonObject): boolean {
  return resultTypes.has(asString(type) ?? "");
}

function noResult({ type, call_id }: JsonObject): JsonObject {
  return { type: `${String(type)}_output`, call_id, output: unanswered };
}
