import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { currentMcpExchange, McpServerExchange, type ExchangeLimits } from "./mcp-exchange.ts";
import { McpFault } from "./mcp-fault.ts";
import { prunedResult } from "./pruned-result.ts";

export interface GuardedTransportDependencies {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
}

/** Of what is sent outside of any exchange: that a call is given up. */
const noticeLimits: ExchangeLimits = { ms: 800, bytes: 64 * 1024, messages: 16 };

/** Requests of a server that want something of the person or the model behind a call. */
const asking = /^(?:elicitation\/create|sampling\/createMessage)$/;

/** Least and most milliseconds before a broken stream is asked for again. */
const [soonest, latest] = [500, 10_000];

const longestMessage = 2000;

/**
 * Streamable HTTP to a server that nobody vouches for. What it sends counts in the
 * exchange that it was sent for, and reaches the client as far as it is needed: the
 * client judges messages with validators whose work and whose errors grow with a
 * hostile answer beyond any measure.
 */
export class GuardedTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: StreamableHTTPClientTransport;
  /** Methods of requests that have no answer yet. */
  readonly #asked = new Map<RequestId, string>();

  constructor({ url, headers, fetch }: GuardedTransportDependencies) {
    this.#inner = new StreamableHTTPClientTransport(new URL(url), {
      fetch,
      requestInit: { headers: { ...headers } },
      reconnectionScheduler: (reconnect, delay) => {
        const timer = setTimeout(reconnect, Math.min(Math.max(delay, soonest), latest));
        return () => clearTimeout(timer);
      },
    });
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) => this.#receive(message),
      onclose: () => this.onclose?.(),
      onerror: (error: Error) => this.onerror?.(error),
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  /** Ends every request at once. */
  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  /** Tells the server that the session is over, where it has given one. */
  async terminateSession(): Promise<void> {
    await this.#notice().run(() => this.#inner.terminateSession());
  }

  send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const exchange = currentMcpExchange();
    if (exchange === undefined) return this.#notice().run(() => this.send(message, options));
    if (isJSONRPCRequest(message)) this.#asked.set(message.id, message.method);
    const { requestSignal, headers } = options;
    return this.#inner.send(message, {
      ...(headers && { headers }),
      requestSignal: AbortSignal.any([exchange.signal, ...(requestSignal ? [requestSignal] : [])]),
      onRequestStreamEnd: () => {
        const isOpen = isJSONRPCRequest(message) && this.#asked.has(message.id);
        if (isOpen) exchange.fail(new McpFault("broken_off"));
      },
    });
  }

  #notice(): McpServerExchange {
    return new McpServerExchange(new AbortController().signal, noticeLimits);
  }

  #receive(message: JSONRPCMessage): void {
    const exchange = currentMcpExchange();
    if (exchange === undefined || exchange.signal.aborted) return;
    exchange.takeMessage();
    if (isJSONRPCResultResponse(message)) {
      const { jsonrpc, id, result } = message;
      const method = this.#answered(id);
      if (result["resultType"] === "input_required") exchange.fail(new McpFault("asks_caller"));
      else this.onmessage?.({ jsonrpc, id, result: prunedResult(method, result) });
    } else if (isJSONRPCErrorResponse(message)) this.#receiveError(message);
    else if (exchange.wasCut) exchange.fail(new McpFault("too_large"));
    else if (isJSONRPCRequest(message)) {
      if (asking.test(message.method)) exchange.fail(new McpFault("asks_caller"));
      else this.onmessage?.({ jsonrpc: "2.0", id: message.id, method: message.method });
    }
    // Notifications change nothing here: what a server lists is asked for again.
  }

  #receiveError({ jsonrpc, id, error: { code, message, data } }: JSONRPCErrorResponse): void {
    if (id !== undefined) this.#answered(id);
    const error = { code, message: message.slice(0, longestMessage), data: versionsOf(data) };
    this.onmessage?.({ jsonrpc, ...(id !== undefined && { id }), error });
  }

  #answered(id: RequestId): string {
    const method = this.#asked.get(id) ?? "";
    this.#asked.delete(id);
    return method;
  }
}

/** Of what an error carries: which revisions the server knows. */
function versionsOf(data: unknown): unknown {
  if (typeof data !== "object" || data === null || !("supported" in data)) return undefined;
  const { supported } = data;
  if (!Array.isArray(supported)) return undefined;
  const versions = supported.slice(0, 32).filter((version) => typeof version === "string");
  return { supported: versions, requested: "requested" in data ? data.requested : undefined };
}
