import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { CliError } from "../cli-error.ts";
import type { CliChatView } from "./response-view.ts";
import type { InterruptListener } from "./interrupts.ts";
import { unwrapFetchError, type CliModelClient } from "./model-client.ts";
import { CliResponseStreamRenderer } from "./response-reader.ts";

/** What is asked for. */
export interface CliChatRequest {
  readonly body: JsonObject;
  readonly session: string | undefined;
  /** An agent answers, so that hanging up would not end it. */
  readonly isAgent: boolean;
}

/** What an answer came to. */
export interface CliChatResponse {
  readonly text: string;
  /** Undefined: the caller ended it and heard no more. */
  readonly response: JsonObject | undefined;
  /** Name of the agent's thread; undefined: an ordinary model answered. */
  readonly session: string | undefined;
  readonly approvals: readonly JsonObject[];
}

/** How long the end of a cancelled turn is waited for. */
const cancelMs = 5000;

/** How often a broken stream is taken up again, and how far apart: a server that is started again is there by then. */
const resumption = { times: 30, everyMs: 1000 };

/**
 * Asks for an answer and shows it to its end. The first interrupt ends it: the agent's
 * turn is cancelled, an ordinary call dropped. Rejects with a `CliError` where it is
 * refused, fails or breaks off; what was said before has been shown.
 */
export async function sendAndRenderChat(
  calls: CliModelClient,
  request: CliChatRequest,
  view: CliChatView,
  interrupts: InterruptListener,
): Promise<CliChatResponse> {
  const turn = new ChatRun(calls, view);
  const stop = (): void => turn.stop(request.isAgent);
  interrupts.stop.addEventListener("abort", stop, { once: true });
  interrupts.exit.addEventListener("abort", () => turn.drop(), { once: true });
  try {
    return await turn.run(request);
  } finally {
    interrupts.stop.removeEventListener("abort", stop);
    turn.drop();
    view.end();
  }
}

class ChatRun {
  readonly #calls: CliModelClient;
  readonly #view: CliChatView;
  readonly #reader: CliResponseStreamRenderer;
  readonly #dropped = new AbortController();
  #id: string | undefined;
  #session: string | undefined;
  #isStopped = false;

  constructor(calls: CliModelClient, view: CliChatView) {
    this.#calls = calls;
    this.#view = view;
    this.#reader = new CliResponseStreamRenderer(view);
  }

  /** Closes the connection. */
  drop(): void {
    this.#dropped.abort();
  }

  /** Ends the answer. An agent's turn whose id is not known yet is waited for: it would run on. */
  stop(isAgent: boolean): void {
    this.#isStopped = true;
    if (this.#id === undefined && !isAgent) return this.drop();
    this.#view.wait("cancelling");
    void delay(cancelMs, undefined, { ref: false }).then(() => this.drop());
    this.#cancel();
  }

  async run({ body, session }: CliChatRequest): Promise<CliChatResponse> {
    try {
      const begun = await this.#calls.begin(body, session, this.#dropped.signal);
      this.#id = begun.turn;
      this.#session = begun.session;
      if (this.#isStopped) this.#cancel();
      await this.#read(begun.events);
    } catch (error) {
      if (!this.#dropped.signal.aborted) throw error;
    }
    const { text, response, approvals } = this.#reader;
    return { text, response, approvals, session: this.#session };
  }

  #cancel(): void {
    if (this.#id === undefined) return;
    this.#calls.cancel(this.#id, this.#dropped.signal).catch(() => this.drop());
  }

  /** Reads to the end of the answer, over as many connections as it takes. */
  async #read(first: AsyncIterable<JsonObject>): Promise<void> {
    let events = first;
    for (let left = resumption.times; ; left -= 1) {
      const before = this.#reader.lastSequence;
      const failure = await this.#readStream(events);
      if (this.#reader.response !== undefined) return;
      if (this.#reader.lastSequence > before) left = resumption.times;
      if (this.#id === undefined || left === 0) throw failure ?? interruptedError();
      events = await this.#resume(this.#id);
    }
  }

  /** What the connection failed with; undefined: it was closed. */
  async #readStream(events: AsyncIterable<JsonObject>): Promise<Error | undefined> {
    try {
      for await (const event of events) {
        this.#reader.handleEvent(event);
        if (this.#reader.response !== undefined) return undefined;
      }
      return undefined;
    } catch (error) {
      if (this.#dropped.signal.aborted || error instanceof CliError) throw error;
      return interruptedError(unwrapFetchError(error));
    }
  }

  /** A server that starts again, or has too much to do, answers the next time. */
  async #resume(id: string): Promise<AsyncIterable<JsonObject>> {
    const { signal } = this.#dropped;
    this.#view.wait("the connection broke; the agent goes on, looking for it");
    for (let left = resumption.times; ; left -= 1) {
      await delay(resumption.everyMs, undefined, { signal });
      try {
        return await this.#calls.follow(id, this.#reader.lastSequence, signal);
      } catch (error) {
        const isPassing = error instanceof CliError && retryableCodes.has(error.code);
        if (!isPassing || left === 1) throw error;
      }
    }
  }
}

/** Undefined: the server did not answer. */
const retryableCodes = new Set<string | undefined>([undefined, "unavailable", "rate_limited"]);

function interruptedError(cause?: unknown): CliError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new CliError(`The connection broke before the answer had ended${reason}.`);
}
