import type { FetchLike } from "@modelcontextprotocol/client";
import type { Dispatcher } from "undici";
import { dialFailure } from "../../../platform/dial/dial-failure.ts";
import type { Dialer } from "../../../platform/dial/dialer.ts";
import { JsonCloser } from "./json-closer.ts";
import { currentMcpExchange, type McpServerExchange } from "./mcp-exchange.ts";
import { McpFault } from "./mcp-fault.ts";

/** Dispatches requests through the checks of addresses. */
export type McpDialer = Pick<Dialer, "dispatcher">;

/**
 * `fetch` for the client of MCP servers, through the checked dialer. It works within
 * an `McpServerExchange` only, which counts what is read; what goes wrong on the way is its
 * fault. Redirects are not followed. Each request has a connection of its own: one
 * that was left open may be dead, and a call that is lost on it cannot be made again.
 */
export function checkedFetch(dialer: McpDialer, poolKey: string): FetchLike {
  return async (input, init = {}) => {
    const exchange = currentMcpExchange();
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
  exchange.fail(new McpFault(dialFailure(error) ?? "unreadable"));
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
    exchange.fail(new McpFault("redirect"));
    throw new McpFault("redirect");
  }
  exchange.failedStatus = status >= 400 ? status : undefined;
  const hasBody = status !== 204 && status !== 205;
  const isStream = /^text\/event-stream\b/i.test(String(headers["content-type"] ?? ""));
  const closer = new JsonCloser({ isStream });
  const stream = hasBody ? ReadableStream.from(countBytes(body, exchange, closer, id)) : null;
  if (!hasBody) body.destroy();
  return new Response(stream, { status, headers: pairsOf(headers) });
}

/** What may be read of the body; where it is cut, the text that makes whole JSON of what stands before. */
async function* countBytes(
  body: AsyncIterable<Buffer>,
  exchange: McpServerExchange,
  closer: JsonCloser,
  id: number | string | undefined,
): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    const taken = chunk.subarray(0, Math.max(0, exchange.bytesLeft));
    exchange.takeBytes(chunk.length);
    closer.push(taken);
    yield taken;
    if (taken.length === chunk.length) continue;
    yield cutAnswer(exchange, closer, id);
    return;
  }
}

function cutAnswer(
  exchange: McpServerExchange,
  closer: JsonCloser,
  id: number | string | undefined,
): Uint8Array {
  const end = id === undefined ? undefined : closer.close({ jsonrpc: "2.0", id });
  if (end === undefined) {
    const fault = new McpFault("too_large");
    exchange.fail(fault);
    throw fault;
  }
  exchange.wasCut = true;
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
