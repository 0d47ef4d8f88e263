import { AsyncLocalStorage } from "node:async_hooks";
import { ApiError } from "../../../platform/errors.ts";
import {
  openMemoryReservationScope,
  noopMemoryReserver,
  type MemoryReserver,
  type MemoryReservationScope,
} from "../../../platform/hold-memory.ts";
import { estimateParsedJsonBytes } from "../../../platform/json-bytes.ts";
import { McpServerError } from "./mcp-server-error.ts";

export interface McpExchangeLimits {
  /** Milliseconds from the first request to the last byte. */
  readonly ms: number;
  /** Bytes of all answers together. */
  readonly bytes: number;
  /** JSON values of all answers together. */
  readonly values: number;
  /** Messages of the server. */
  readonly messages: number;
}

/** Requests of a server in one exchange, pings for instance. Each takes a request to answer it. */
const maxServerRequests = 16;

/** Copies of a text while it is read and parsed, and of its values. */
const [textCopies, valueCopies] = [3, 2];

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
  readonly #memory: MemoryReservationScope;
  #bytes: number;
  #values: number;
  #messages: number;
  #requests = maxServerRequests;

  /** `hold` counts what is read until the exchange is over. */
  constructor(
    caller: AbortSignal,
    { ms, bytes, values, messages }: McpExchangeLimits,
    hold: MemoryReserver = noopMemoryReserver,
  ) {
    this.#memory = openMemoryReservationScope(hold);
    this.signal = AbortSignal.any([caller, this.#end.signal]);
    this.#timer = setTimeout(() => this.fail(new McpServerError("timeout")), ms);
    this.#bytes = bytes;
    this.#values = values;
    this.#messages = messages;
  }

  /** Bytes that may still be read. */
  get bytesLeft(): number {
    return this.#values < 0 ? 0 : this.#bytes;
  }

  /** Counts bytes of an answer, and JSON values in them. Throws where they cannot be held. */
  countBytes(bytes: number, values: number): void {
    this.#bytes -= bytes;
    this.#values -= values;
    try {
      this.#memory.hold(estimateParsedJsonBytes(textCopies * bytes, valueCopies * values));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const fault = new McpServerError("no_memory");
      this.fail(fault);
      throw fault;
    }
  }

  /** Counts messages of the server, valid or not. */
  countMessages(count: number): void {
    this.#messages -= count;
    if (this.#messages < 0) this.fail(new McpServerError("too_many"));
  }

  /** Counts a request of the server. Returns false when it is one too many to be answered. */
  countRequest(): boolean {
    this.#requests -= 1;
    return this.#requests >= 0;
  }

  /** All has been received: what follows does not count as the server's time. */
  stopTimer(): void {
    clearTimeout(this.#timer);
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
      this.#memory.giveBack();
      this.signal.removeEventListener("abort", onAbort);
      this.#end.abort(new McpServerError("broken_off"));
    }
  }
}

const exchanges = new AsyncLocalStorage<McpServerExchange>();

/** The exchange in whose `run` the code runs that asks. */
export function getCurrentMcpExchange(): McpServerExchange | undefined {
  return exchanges.getStore();
}
