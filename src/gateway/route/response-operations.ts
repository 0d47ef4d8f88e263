import { Readable } from "node:stream";
import type { JsonObject } from "../../dialect/json.ts";
import { replayResponse } from "../../dialect/responses/replay-response.ts";
import type { DurableTurns } from "../../kernel/durable-turn.ts";
import { invalidRequest } from "../../platform/errors.ts";
import { inputItemsPage } from "../response/input-items.ts";
import type { KeptTurns } from "../response/kept-turns.ts";
import type { ResponseQuestion } from "../response/response-question.ts";

/** Where responses are kept that this installation answered itself. */
export interface KeptHere {
  /** Answers that have ended. */
  readonly turns: KeptTurns;
  /** Answers that are, or were, made in the background. */
  readonly durable: DurableTurns;
}

/** A response of an account, and how it is asked for. */
export interface AskedResponse {
  readonly accountId: string;
  readonly id: string;
  /** Of the address. */
  readonly query: URLSearchParams;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What is told of a response that is kept here. */
interface KeptAnswer {
  /** An object, or the text of a stream of events. */
  readonly body: JsonObject | Readable;
  /** Undefined: it does not wait. */
  readonly queuePosition?: number | undefined;
}

/** Something that can be asked of a response. */
export interface ResponseOperation extends Pick<ResponseQuestion, "method" | "part"> {
  /** The answer for one that is kept here; undefined: it is not. */
  readonly ofKept: (here: KeptHere, asked: AskedResponse) => Promise<KeptAnswer | undefined>;
}

export const responseOperations: readonly ResponseOperation[] = [
  { method: "GET", part: "", ofKept: showKept },
  { method: "DELETE", part: "", ofKept: deleteKept },
  { method: "POST", part: "/cancel", ofKept: cancelKept },
  { method: "GET", part: "/input_items", ofKept: listInput },
];

async function showKept(here: KeptHere, asked: AskedResponse): Promise<KeptAnswer | undefined> {
  const after = replayFrom(asked.query);
  const { accountId, id, signal } = asked;
  const turn = await here.durable.find(accountId, id);
  if (turn !== undefined) {
    const { response, queuePosition } = turn;
    const body =
      after === undefined ? response : Readable.from(here.durable.follow(id, after, signal));
    return { body, queuePosition };
  }
  const kept = await here.turns.find(accountId, id);
  if (kept === undefined) return undefined;
  if (after === undefined) return { body: kept.response };
  const frames = replayResponse(kept.response).slice(after + 1);
  return { body: Readable.from([frames.join("")]) };
}

async function deleteKept(
  { turns, durable }: KeptHere,
  { accountId, id }: AskedResponse,
): Promise<KeptAnswer | undefined> {
  const wasTurn = await durable.delete(accountId, id);
  const wasKept = await turns.delete(accountId, id);
  return wasTurn || wasKept ? { body: { id, object: "response", deleted: true } } : undefined;
}

/** A kept response has ended: there is nothing to cancel, and it is as it was. */
async function cancelKept(
  { turns, durable }: KeptHere,
  { accountId, id }: AskedResponse,
): Promise<KeptAnswer | undefined> {
  const turn = await durable.cancel(accountId, id);
  const response = turn?.response ?? (await turns.find(accountId, id))?.response;
  return response && { body: response };
}

async function listInput(
  { turns, durable }: KeptHere,
  { accountId, id, query }: AskedResponse,
): Promise<KeptAnswer | undefined> {
  const kept = (await turns.find(accountId, id)) ?? (await durable.find(accountId, id));
  return kept && { body: inputItemsPage(id, kept.input, query) };
}

/** Number of the last event that the caller has, -1 for none; undefined: it asks for no stream. */
function replayFrom(query: URLSearchParams): number | undefined {
  const stream = query.get("stream") ?? "false";
  const after = query.get("starting_after");
  if (stream !== "true" && stream !== "false") {
    throw invalidRequest("stream", "`stream` must be `true` or `false`.");
  }
  if (after === null) return stream === "true" ? -1 : undefined;
  if (stream === "false") {
    throw invalidRequest("starting_after", "`starting_after` needs `stream=true`.");
  }
  if (/^\d{1,9}$/.test(after)) return Number(after);
  throw invalidRequest("starting_after", "`starting_after` must be a whole number from 0.");
}
