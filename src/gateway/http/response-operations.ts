import { Readable } from "node:stream";
import type { JsonObject } from "../../dialect/json.ts";
import { buildReplayFrames } from "../../dialect/responses/replay-response.ts";
import type { DurableTurnService } from "../../domain/durable-turn.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { buildInputItemsPage } from "../stored-responses/input-items.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import type { ResponseQuery } from "../stored-responses/response-query.ts";

/** Where responses are kept that this installation answered itself. */
export interface LocalResponseStores {
  /** Answers that have ended. */
  readonly storedResponses: StoredResponses;
  /** Answers that are, or were, made in the background. */
  readonly durable: DurableTurnService;
}

/** A response of an account, and how it is asked for. */
export interface ResponseOperationRequest {
  readonly accountId: string;
  readonly id: string;
  /** Of the address. */
  readonly query: URLSearchParams;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Counts what is read until the answer was sent. */
  readonly hold: MemoryReserver;
}

/** What is told of a response that is kept here. */
interface StoredResult {
  /** An object, or the text of a stream of events. */
  readonly body: JsonObject | Readable;
  /** Undefined: it does not wait. */
  readonly queuePosition?: number | undefined;
}

/** Something that can be asked of a response. */
export interface ResponseOperation extends Pick<ResponseQuery, "method" | "part"> {
  /** The answer for one that is kept here; undefined: it is not. */
  readonly handleStored: (
    here: LocalResponseStores,
    asked: ResponseOperationRequest,
  ) => Promise<StoredResult | undefined>;
}

export const responseOperations: readonly ResponseOperation[] = [
  { method: "GET", part: "", handleStored: showStored },
  { method: "DELETE", part: "", handleStored: deleteStored },
  { method: "POST", part: "/cancel", handleStored: cancelStored },
  { method: "GET", part: "/input_items", handleStored: listInput },
];

async function showStored(
  here: LocalResponseStores,
  asked: ResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const after = replayFrom(asked.query);
  const { accountId, id, signal, hold } = asked;
  const turn = await here.durable.find(accountId, id, hold);
  if (turn !== undefined) {
    const { response, queuePosition } = turn;
    const body =
      after === undefined
        ? response
        : Readable.from(here.durable.replay(accountId, id, after, signal));
    return { body, queuePosition };
  }
  const kept = await here.storedResponses.find(accountId, id, hold);
  if (kept === undefined) return undefined;
  if (after === undefined) return { body: kept.response };
  const frames = buildReplayFrames(kept.response).slice(after + 1);
  return { body: Readable.from([frames.join("")]) };
}

async function deleteStored(
  { storedResponses, durable }: LocalResponseStores,
  { accountId, id }: ResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const wasTurn = await durable.delete(accountId, id);
  const wasKept = await storedResponses.delete(accountId, id);
  return wasTurn || wasKept ? { body: { id, object: "response", deleted: true } } : undefined;
}

/** A kept response has ended: there is nothing to cancel, and it is as it was. */
async function cancelStored(
  { storedResponses, durable }: LocalResponseStores,
  { accountId, id, hold }: ResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const turn = await durable.cancel(accountId, id, hold);
  const response = turn?.response ?? (await storedResponses.find(accountId, id, hold))?.response;
  return response && { body: response };
}

async function listInput(
  { storedResponses, durable }: LocalResponseStores,
  { accountId, id, query, hold }: ResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const kept =
    (await storedResponses.find(accountId, id, hold)) ?? (await durable.find(accountId, id, hold));
  return kept && { body: buildInputItemsPage(id, kept.input, query) };
}

/** Number of the last event that the caller has, -1 for none; undefined: it asks for no stream. */
function replayFrom(query: URLSearchParams): number | undefined {
  const stream = query.get("stream") ?? "false";
  const after = query.get("starting_after");
  if (stream !== "true" && stream !== "false") {
    throw invalidRequestError("stream", "`stream` must be `true` or `false`.");
  }
  if (after === null) return stream === "true" ? -1 : undefined;
  if (stream === "false") {
    throw invalidRequestError("starting_after", "`starting_after` needs `stream=true`.");
  }
  if (/^\d{1,9}$/.test(after)) return Number(after);
  throw invalidRequestError("starting_after", "`starting_after` must be a whole number from 0.");
}
