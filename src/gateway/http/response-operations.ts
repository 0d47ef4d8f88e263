import { Readable } from "node:stream";
import type { JsonObject } from "../../dialect/json.ts";
import { serializeResponsesFinishedResponseFrames } from "../../dialect/responses/replay-response.ts";
import type { DurableTurnService } from "../../domain/durable-turn.ts";
import type { MemoryAndAbortContext } from "../../platform/database/counted-loader.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { EventLoopTurnstile } from "../../platform/event-loop-turnstile.ts";
import { buildInputItemsPage } from "../stored-responses/input-items.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import type { UpstreamResponseQuery } from "../stored-responses/response-query.ts";

/** A piece of a stream that is written from a stored response ends with the event that passes this. */
const pieceCharacters = 64 * 1024;

/** Separates the writes of large events, of all readers together. */
const turnstile = new EventLoopTurnstile();

/** Where responses are kept that this installation answered itself. */
export interface GatewayResponseStores {
  /** Answers that have ended. */
  readonly storedResponses: StoredResponses;
  /** Answers that are, or were, made in the background. */
  readonly durable: DurableTurnService;
}

/** A response of an account, and how it is asked for. */
export interface StoredResponseOperationRequest extends MemoryAndAbortContext {
  readonly accountId: string;
  readonly id: string;
  /** Of the address. */
  readonly query: URLSearchParams;
}

/** What is told of a response that is kept here. */
interface StoredResult {
  /** An object, or the text of a stream of events. */
  readonly body: JsonObject | Readable;
  /** Undefined: it does not wait. */
  readonly queuePosition?: number | undefined;
}

/** Something that can be asked of a response. */
export interface StoredResponseOperation extends Pick<UpstreamResponseQuery, "method" | "part"> {
  /** The answer for one that is kept here; undefined: it is not. */
  readonly handleStored: (
    here: GatewayResponseStores,
    asked: StoredResponseOperationRequest,
  ) => Promise<StoredResult | undefined>;
}

export const storedResponseOperations: readonly StoredResponseOperation[] = [
  { method: "GET", part: "", handleStored: showStored },
  { method: "DELETE", part: "", handleStored: deleteStored },
  { method: "POST", part: "/cancel", handleStored: cancelStored },
  { method: "GET", part: "/input_items", handleStored: listInput },
];

async function showStored(
  here: GatewayResponseStores,
  asked: StoredResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const after = replayFrom(asked.query);
  const shown = await (after === undefined
    ? showTurn(here, asked)
    : replayTurn(here, asked, after));
  if (shown !== undefined) return shown;
  const { accountId, id } = asked;
  const response = await here.storedResponses.find(accountId, id, "response", asked);
  if (response === undefined || after === undefined) return response && { body: response };
  return {
    body: Readable.from(piecesOf(serializeResponsesFinishedResponseFrames(response, after))),
  };
}

/**
 * Joins small frames, and makes each piece when its reader has taken the one before. What was
 * counted for the stored response, which has its output twice, covers one that repeats it.
 */
async function* piecesOf(frames: Iterable<string>): AsyncIterable<string> {
  let piece = "";
  // Opening the stored response took one step of its own.
  await turnstile.pass();
  for (const frame of frames) {
    piece += frame;
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = "";
    await turnstile.pass();
  }
  if (piece !== "") yield piece;
}

async function showTurn(
  { durable }: GatewayResponseStores,
  asked: StoredResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const turn = await durable.findResponse(asked.accountId, asked.id, asked);
  return turn && { body: turn.response, queuePosition: turn.queuePosition };
}

/** The events are read page by page; the turn itself is not. */
async function replayTurn(
  { durable }: GatewayResponseStores,
  { accountId, id, signal }: StoredResponseOperationRequest,
  after: number,
): Promise<StoredResult | undefined> {
  const state = await durable.findState(accountId, id);
  if (state === undefined) return undefined;
  const body = Readable.from(durable.replay(accountId, id, after, signal));
  return { body, queuePosition: state.queuePosition };
}

async function deleteStored(
  { storedResponses, durable }: GatewayResponseStores,
  { accountId, id }: StoredResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const wasTurn = await durable.delete(accountId, id);
  const wasKept = await storedResponses.delete(accountId, id);
  return wasTurn || wasKept ? { body: { id, object: "response", deleted: true } } : undefined;
}

/** A kept response has ended: there is nothing to cancel, and it is as it was. */
async function cancelStored(
  { storedResponses, durable }: GatewayResponseStores,
  asked: StoredResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const { accountId, id } = asked;
  const turn = await durable.cancel(accountId, id, asked);
  const response = turn?.response ?? (await storedResponses.find(accountId, id, "response", asked));
  return response && { body: response };
}

async function listInput(
  { storedResponses, durable }: GatewayResponseStores,
  asked: StoredResponseOperationRequest,
): Promise<StoredResult | undefined> {
  const { accountId, id, query } = asked;
  // A turn has its input without its output.
  const input =
    (await durable.findInput(accountId, id, asked)) ??
    (await storedResponses.find(accountId, id, "input", asked));
  return input && { body: buildInputItemsPage(id, input, query) };
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
