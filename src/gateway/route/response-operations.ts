import type { JsonObject } from "../../dialect/json.ts";
import { invalidRequest } from "../../platform/errors.ts";
import { inputItemsPage } from "../response/input-items.ts";
import type { KeptTurns } from "../response/kept-turns.ts";
import type { ResponseQuestion } from "../response/response-question.ts";

/** A response of an account, and how it is asked for. */
export interface AskedResponse {
  readonly accountId: string;
  readonly id: string;
  /** Of the address. */
  readonly query: URLSearchParams;
}

/** Something that can be asked of a response. */
export interface ResponseOperation extends Pick<ResponseQuestion, "method" | "part"> {
  /** The answer for one that is kept here; undefined: it is not. */
  readonly ofKept: (turns: KeptTurns, asked: AskedResponse) => Promise<JsonObject | undefined>;
}

export const responseOperations: readonly ResponseOperation[] = [
  { method: "GET", part: "", ofKept: showKept },
  { method: "DELETE", part: "", ofKept: deleteKept },
  { method: "POST", part: "/cancel", ofKept: cancelKept },
  { method: "GET", part: "/input_items", ofKept: listInput },
];

async function showKept(
  turns: KeptTurns,
  { accountId, id, query }: AskedResponse,
): Promise<JsonObject | undefined> {
  const kept = await turns.find(accountId, id);
  if (kept !== undefined) refuseReplay(query);
  return kept?.response;
}

async function deleteKept(
  turns: KeptTurns,
  { accountId, id }: AskedResponse,
): Promise<JsonObject | undefined> {
  const isDeleted = await turns.delete(accountId, id);
  return isDeleted ? { id, object: "response", deleted: true } : undefined;
}

/** A kept response has ended: there is nothing to cancel, and it is as it was. */
async function cancelKept(
  turns: KeptTurns,
  { accountId, id }: AskedResponse,
): Promise<JsonObject | undefined> {
  return (await turns.find(accountId, id))?.response;
}

async function listInput(
  turns: KeptTurns,
  { accountId, id, query }: AskedResponse,
): Promise<JsonObject | undefined> {
  const kept = await turns.find(accountId, id);
  return kept && inputItemsPage(id, kept.input, query);
}

function refuseReplay(query: URLSearchParams): void {
  const stream = query.get("stream") ?? "false";
  if (stream === "false") return;
  if (stream === "true") {
    throw invalidRequest("stream", "A kept response is not streamed again; leave `stream` out.");
  }
  throw invalidRequest("stream", "`stream` must be `true` or `false`.");
}
