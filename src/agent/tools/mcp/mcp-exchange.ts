import { AsyncLocalStorage } from "node:async_hooks";
import { McpServerError } from "./mcp-server-error.ts";

export interface McpExchangeLimits {
  /** Milliseconds from the first request to the last byte. */
  readonly ms: number;
  /** Bytes of all answers together. */
  readonly bytes: number;
  /** Messages of the server. */
  readonly messages: number;
}

/**
 * One greeting or one call of an MCP server, with all requests that the protocol
 * makes of it: what it may take, and what ends it. Every request that is made
 * while `run` runs counts here and is given up with it.
 */
export class McpServerExchange {
  /** Aborted with a `McpServerError` when a limit is reached, with the caller's reason, or when the exchange is over. */
  readonly signal: AbortSignal;
  /** Status of the last answer, where that was no success. */
  failedStatus: number | undefined;
  /** Its answer was longer than is read, and ends where it was cut. */
  isTruncated = false;
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #bytes: number;
  #messages: number;

  constructor(caller: AbortSignal, { ms, bytes, messages }: McpExchangeLimits) {
    this.signal = AbortSignal.any([caller, this.#end.signal]);
    this.#timer = setTimeout(() => this.fail(new McpServerError("timeout")), ms);
    this.#bytes = bytes;
    this.#messages = messages;
  }

  /** Bytes that may still be read. */
  get bytesLeft(): number {
    return this.#bytes;
  }

  /** Counts bytes of an answer. */
  countBytes(count: number): void {
    this.#bytes -= count;
  }

  /** Counts messages of the server, valid or not. */
  countMessages(count: number): void {
    this.#messages -= count;
    if (this.#messages < 0) this.fail(new McpServerError("too_many"));
  }

  /** Ends it: `run` rejects with the fault. */
  fail(fault: McpServerError): void {
    this.#end.abort(fault);
  }

  /**
   * Does the work, within the limits. Rejects with a `McpServerError`, with the caller's
   * reason when that is why it ended, or with what the work threw; at once, whether
   * the work has noticed or not. Afterwards no request of it goes on.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(this.signal.reason as Error);
    this.signal.addEventListener("abort", onAbort, { once: true });
    ended.catch(() => undefined);
    try {
      this.signal.throwIfAborted();
      return await Promise.race([ended, exchanges.run(this, work)]);
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
      this.signal.removeEventListener("abort", onAbort);
      this.#end.abort(new McpServerError("broken_off"));
    }
  }
}

const exchanges = new AsyncLocalStorage<McpServerExchange>();

/** The exchange in whose `run` the code runs that asks. */
export function currentMcpExchange(): McpServerExchange | undefined {
  return exchanges.getStore();
}
