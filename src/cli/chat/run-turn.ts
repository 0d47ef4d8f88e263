import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { CallError } from "../call-error.ts";
import type { AnswerView } from "./answer-view.ts";
import type { Interrupts } from "./interrupts.ts";
import { causeOf, type ModelCalls } from "./model-calls.ts";
import { TurnReader } from "./turn-reader.ts";

/** What is asked for. */
export interface ChatRequest {
  readonly body: JsonObject;
  readonly session: string | undefined;
  /** An agent answers, so that hanging up would not end it. */
  readonly isAgent: boolean;
}

/** What an answer came to. */
export interface TurnOutcome {
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
 * turn is cancelled, an ordinary call dropped. Rejects with a `CallError` where it is
 * refused, fails or breaks off; what was said before has been shown.
 */
export async function runTurn(
  calls: ModelCalls,
  request: ChatRequest,
  view: AnswerView,
  interrupts: Interrupts,
): Promise<TurnOutcome> {
  const turn = new Turn(calls, view);
  const stop = (): void => turn.stop(request.isAgent);
  interrupts.stop.addEventListener("abort", stop, { once: true });
  interrupts.leave.addEventListener("abort", () => turn.drop(), { once: true });
  try {
    return await turn.run(request);
  } finally {
    interrupts.stop.removeEventListener("abort", stop);
    turn.drop();
    view.end();
  }
}

class Turn {
  readonly #calls: ModelCalls;
  readonly #view: AnswerView;
  readonly #reader: TurnReader;
  readonly #dropped = new AbortController();
  #id: string | undefined;
  #session: string | undefined;
  #isStopped = false;

  constructor(calls: ModelCalls, view: AnswerView) {
    this.#calls = calls;
    this.#view = view;
    this.#reader = new TurnReader(view);
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

  async run({ body, session }: ChatRequest): Promise<TurnOutcome> {
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
      if (this.#id === undefined || left === 0) throw failure ?? breakOffError();
      events = await this.#resume(this.#id);
    }
  }

  /** What the connection failed with; undefined: it was closed. */
  async #readStream(events: AsyncIterable<JsonObject>): Promise<Error | undefined> {
    try {
      for await (const event of events) {
        this.#reader.take(event);
        if (this.#reader.response !== undefined) return undefined;
      }
      return undefined;
    } catch (error) {
      if (this.#dropped.signal.aborted || error instanceof CallError) throw error;
      return breakOffError(causeOf(error));
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
        const isPassing = error instanceof CallError && passingCodes.has(error.code);
        if (!isPassing || left === 1) throw error;
      }
    }
  }
}

/** Undefined: the server did not answer. */
const passingCodes = new Set<string | undefined>([undefined, "unavailable", "rate_limited"]);

function breakOffError(cause?: unknown): CallError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new CallError(`The connection broke before the answer had ended${reason}.`);
}
