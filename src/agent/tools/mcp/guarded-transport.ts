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
import {
  getCurrentMcpExchange,
  McpServerExchange,
  type McpExchangeLimits,
} from "./mcp-exchange.ts";
import { McpServerError } from "./mcp-server-error.ts";
import type { SecretRedactor } from "../result/redact-secrets.ts";
import { pruneMcpMethodResult } from "./prune-result.ts";

export interface UntrustedMcpTransportDependencies {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  /** Redacts what the server says. */
  readonly redact: SecretRedactor;
}

/** Of what is sent outside of any exchange: that a call is given up. */
const noticeLimits: McpExchangeLimits = { ms: 800, bytes: 64 * 1024, values: 5000, messages: 16 };

/** Requests of a server that want something of the person or the model behind a call. */
const asking = /^(?:elicitation\/create|sampling\/createMessage)$/;

/** Least and most milliseconds before a broken stream is asked for again. */
const [soonest, latest] = [500, 10_000];

const maxMessageBytes = 2000;

/**
 * Streamable HTTP to a server that nobody vouches for. What it sends counts in the
 * exchange that it was sent for, and reaches the client as far as it is needed: the
 * client judges messages with validators whose work and whose errors grow with a
 * hostile answer beyond any measure.
 */
export class UntrustedMcpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #redact: SecretRedactor;
  readonly #inner: StreamableHTTPClientTransport;
  /** Methods of requests that have no answer yet. */
  readonly #pendingRequests = new Map<RequestId, string>();
  /** Notices that are under way. */
  readonly #notices = new Set<Promise<void>>();

  constructor({ url, headers, fetch, redact }: UntrustedMcpTransportDependencies) {
    this.#redact = redact;
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

  /** Resolves when the server has been notified of all calls that were given up, or cannot be. */
  async settleNotices(): Promise<void> {
    await Promise.allSettled(this.#notices);
  }

  /** Tells the server that the session is over, where it has given one. */
  async terminateSession(): Promise<void> {
    await this.#notify(() => this.#inner.terminateSession());
  }

  send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const exchange = getCurrentMcpExchange();
    // An exchange that has ended may be the one whose call is given up.
    const isNotice = exchange?.signal.aborted !== false && !isJSONRPCRequest(message);
    if (exchange === undefined || isNotice) return this.#notify(() => this.send(message, options));
    if (isJSONRPCRequest(message)) this.#pendingRequests.set(message.id, message.method);
    const { requestSignal, headers } = options;
    return this.#inner.send(message, {
      ...(headers && { headers }),
      requestSignal: AbortSignal.any([exchange.signal, ...(requestSignal ? [requestSignal] : [])]),
      onRequestStreamEnd: () => {
        const isOpen = isJSONRPCRequest(message) && this.#pendingRequests.has(message.id);
        if (isOpen) exchange.fail(new McpServerError("broken_off"));
      },
    });
  }

  #notify(send: () => Promise<void>): Promise<void> {
    const exchange = new McpServerExchange(new AbortController().signal, noticeLimits);
    const notice = exchange.run(send).finally(() => this.#notices.delete(notice));
    this.#notices.add(notice);
    return notice;
  }

  #receive(message: JSONRPCMessage): void {
    const exchange = getCurrentMcpExchange();
    if (exchange === undefined || exchange.signal.aborted) return;
    if (isJSONRPCResultResponse(message)) {
      const { jsonrpc, id, result } = message;
      const method = this.#onAnswered(id);
      if (result["resultType"] === "input_required")
        exchange.fail(new McpServerError("asks_caller"));
      else this.onmessage?.({ jsonrpc, id, result: pruneMcpMethodResult(method, result) });
    } else if (isJSONRPCErrorResponse(message)) this.#receiveError(message);
    else if (exchange.isTruncated) exchange.fail(new McpServerError("too_large"));
    else if (isJSONRPCRequest(message)) {
      if (asking.test(message.method)) exchange.fail(new McpServerError("asks_caller"));
      else if (!exchange.countRequest()) exchange.fail(new McpServerError("too_many"));
      else this.onmessage?.({ jsonrpc: "2.0", id: message.id, method: message.method });
    }
    // Notifications change nothing here: what a server lists is asked for again.
  }

  #receiveError({ jsonrpc, id, error: { code, message, data } }: JSONRPCErrorResponse): void {
    if (id !== undefined) this.#onAnswered(id);
    // A cut in the middle of a secret would leave its beginning.
    const said = this.#redact(message).slice(0, maxMessageBytes);
    const error = { code, message: said, data: versionsOf(data) };
    this.onmessage?.({ jsonrpc, ...(id !== undefined && { id }), error });
  }

  #onAnswered(id: RequestId): string {
    const method = this.#pendingRequests.get(id) ?? "";
    this.#pendingRequests.delete(id);
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
