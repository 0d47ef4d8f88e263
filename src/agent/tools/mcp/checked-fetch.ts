import type { FetchLike } from "@modelcontextprotocol/client";
import type { Dispatcher } from "undici";
import { classifyDialFailure } from "../../../platform/dial/dial-failure.ts";
import { ByteCollector } from "../../../platform/byte-collector.ts";
import type { Dialer } from "../../../platform/dial/dialer.ts";
import { SseEventCounter } from "./event-counter.ts";
import { TruncatedJsonCompleter } from "./json-completer.ts";
import { getCurrentMcpExchange, type McpServerExchange } from "./mcp-exchange.ts";
import { McpServerError } from "./mcp-server-error.ts";

/** Dispatches requests through the checks of addresses. */
export type McpDispatcherProvider = Pick<Dialer, "dispatcher">;

/**
 * `fetch` for the client of MCP servers, through the checked dialer. It works within
 * an `McpServerExchange` only, which counts what is read; what goes wrong on the way is its
 * fault. Redirects are not followed. Each request has a connection of its own: one
 * that was left open may be dead, and a call that is lost on it cannot be made again.
 */
export function createMcpClientFetch(dialer: McpDispatcherProvider, poolKey: string): FetchLike {
  return async (input, init = {}) => {
    const exchange = getCurrentMcpExchange();
    if (exchange === undefined) throw new Error("a request to an MCP server counts nowhere");
    const headers = Object.fromEntries(new Headers(init.headers));
    // A stream for what a server says of its own accord would stand open for nothing.
    if (init.method === "GET" && headers["last-event-id"] === undefined) return notOffered();
    const url = new URL(input);
    const signal = init.signal ? AbortSignal.any([init.signal, exchange.signal]) : exchange.signal;
    const answer = await dialer
      .dispatcher(poolKey)
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: init.method ?? "GET",
        headers,
        body: typeof init.body === "string" ? init.body : null,
        signal,
        reset: true,
      })
      .catch((error: unknown) => fail(exchange, error));
    return webResponse(answer, exchange, requestId(init.body));
  };
}

function notOffered(): Response {
  return new Response(null, { status: 405 });
}

function fail(exchange: McpServerExchange, error: unknown): never {
  exchange.fail(new McpServerError(classifyDialFailure(error) ?? "unreadable"));
  throw error;
}

function webResponse(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  exchange: McpServerExchange,
  id: number | string | undefined,
): Response {
  // The client does not read every answer to its end, and then nobody hears of what becomes of it.
  body.on("error", () => undefined);
  if (status >= 300 && status < 400) {
    body.destroy();
    exchange.fail(new McpServerError("redirect"));
    throw new McpServerError("redirect");
  }
  exchange.failedStatus = status >= 400 ? status : undefined;
  const hasBody = status !== 204 && status !== 205;
  const isStream = /^text\/event-stream\b/i.test(String(headers["content-type"] ?? ""));
  const closer = new TruncatedJsonCompleter({ isStream });
  const chunks = coalesceBodyChunks(countBytes(body, exchange, closer, id), isStream);
  const counted = isStream
    ? countEvents(chunks, exchange)
    : countMessages(chunks, exchange, closer);
  const stream = hasBody ? ReadableStream.from(counted) : null;
  if (!hasBody) body.destroy();
  return new Response(stream, { status, headers: pairsOf(headers) });
}

/**
 * Joins small chunks, because a reader would buffer them as a list or search its whole text at
 * each of them: a stream is passed on line by line, any other body as a whole. Line ends of a
 * stream become LF, because the reader of events searches the rest of its text at each CR.
 */
export async function* coalesceBodyChunks(
  pieces: AsyncIterable<Buffer>,
  isStream: boolean,
): AsyncIterable<Buffer> {
  const collected = new ByteCollector();
  let followsReturn = false;
  for await (const piece of pieces) {
    const lines = isStream ? withLineFeeds(piece, followsReturn) : piece;
    if (piece.length > 0) followsReturn = piece.at(-1) === carriageReturn;
    collected.push(lines);
    if (isStream && lines.includes(lineFeed)) yield collected.take();
  }
  if (collected.length > 0) yield collected.take();
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Replaces CR and CRLF by LF; an LF at the beginning belongs to the CR before it. */
function withLineFeeds(piece: Buffer, followsReturn: boolean): Buffer {
  const rest = followsReturn && piece[0] === lineFeed ? piece.subarray(1) : piece;
  if (!rest.includes(carriageReturn)) return rest;
  return Buffer.from(rest.toString("latin1").replaceAll(/\r\n?/g, "\n"), "latin1");
}

/** What may be read of the body; where it is cut, the text that makes whole JSON of what stands before. */
async function* countBytes(
  body: AsyncIterable<Buffer>,
  exchange: McpServerExchange,
  closer: TruncatedJsonCompleter,
  id: number | string | undefined,
): AsyncIterable<Buffer> {
  for await (const chunk of body) {
    const taken = chunk.subarray(0, Math.max(0, exchange.bytesLeft));
    const valuesBefore = closer.values;
    closer.push(taken);
    exchange.countBytes(chunk.length, closer.values - valuesBefore);
    yield taken;
    if (taken.length === chunk.length) continue;
    yield truncateResponse(exchange, closer, id);
    return;
  }
}

/** Counts events before the client parses them, which costs far more than their bytes where they are invalid. */
async function* countEvents(
  pieces: AsyncIterable<Buffer>,
  exchange: McpServerExchange,
): AsyncIterable<Uint8Array> {
  const counter = new SseEventCounter();
  for await (const piece of pieces) {
    countInExchange(exchange, counter.push(piece));
    yield piece;
  }
}

/** Counts the messages of a body that is one message or an array of them. */
async function* countMessages(
  pieces: AsyncIterable<Buffer>,
  exchange: McpServerExchange,
  closer: TruncatedJsonCompleter,
): AsyncIterable<Uint8Array> {
  for await (const piece of pieces) {
    countInExchange(exchange, closer.elements);
    yield piece;
  }
}

/** Throws, so that the client gets none of them, when they are too many. */
function countInExchange(exchange: McpServerExchange, messages: number): void {
  exchange.countMessages(messages);
  exchange.signal.throwIfAborted();
}

function truncateResponse(
  exchange: McpServerExchange,
  closer: TruncatedJsonCompleter,
  id: number | string | undefined,
): Buffer {
  const end = id === undefined ? undefined : closer.close({ jsonrpc: "2.0", id });
  if (end === undefined) {
    const fault = new McpServerError("too_large");
    exchange.fail(fault);
    throw fault;
  }
  exchange.isTruncated = true;
  return Buffer.from(end);
}

/** Id of the request that a body holds. */
function requestId(body: unknown): number | string | undefined {
  if (typeof body !== "string") return undefined;
  const { id } = JSON.parse(body) as { id?: number | string };
  return id;
}

function pairsOf(headers: Dispatcher.ResponseData["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );
}
