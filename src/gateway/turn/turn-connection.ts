import { Writable } from "node:stream";
import { asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { parsedObject } from "../../dialect/parsed-object.ts";
import type { ResponseEvent, TurnCall, TurnFailure } from "../../kernel/durable-turn.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import type { CallerConnection } from "../call/caller-connection.ts";

/** The largest event of a stream that we write ourselves, or pass on. */
const largestEventBytes = 16 * 1024 * 1024;

/** More of an error is not read. */
const largestErrorBytes = 64 * 1024;

const terminalTypes: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/**
 * Stands for the caller of a model call that is made for a turn: hands the events of its
 * answer on, as fast as they are kept, and remembers how it ended.
 */
export class TurnConnection extends Writable implements CallerConnection {
  statusCode = 200;
  /** The event that ends the response; undefined: none came. */
  terminal: ResponseEvent | undefined;
  /** What the answer failed with; undefined: it did not. */
  error: TurnFailure | undefined;
  readonly #push: TurnCall["push"];
  readonly #events = new EventReader(largestEventBytes);
  /** The body of an answer that is an error. */
  #body = "";

  constructor(push: TurnCall["push"]) {
    super();
    this.#push = push;
  }

  writeHead(status: number): this {
    this.statusCode = status;
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    void settle(this.#take(chunk), done);
  }

  override _final(done: (error?: Error) => void): void {
    if (this.statusCode >= 400) this.error = errorIn(parsedObject(this.#body));
    void settle(this.#takeEvents(this.#events.finish()), done);
  }

  async #take(chunk: Buffer): Promise<void> {
    if (this.statusCode < 400) return this.#takeEvents(this.#events.push(chunk));
    if (this.#body.length < largestErrorBytes) this.#body += chunk.toString();
  }

  async #takeEvents(events: ReturnType<EventReader["push"]>): Promise<void> {
    for (const { data } of events) {
      const event = eventOf(data);
      if (event !== undefined) await this.#takeEvent(event);
    }
  }

  #takeEvent(event: ResponseEvent): Promise<void> | undefined {
    const response = asObject(event["response"]);
    if (event.type === "error") this.error = errorIn(event);
    if (!terminalTypes.has(event.type)) return this.#push(event);
    this.terminal = event;
    if (event.type === "response.failed") this.error = errorIn(response ?? {});
    return undefined;
  }
}

async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

/** What an answer tells that is, or has, an `error`. */
function errorIn(answer: JsonObject): TurnFailure {
  const told = asObject(answer["error"]) ?? answer;
  return {
    code: asString(told["code"]) ?? asString(told["type"]) ?? "server_error",
    message: asString(told["message"]) ?? "The model call failed.",
  };
}

/** Undefined: it is the mark behind the last event, or nothing that a client would read. */
function eventOf(data: string): ResponseEvent | undefined {
  const event = parsedObject(data);
  const type = asString(event["type"]);
  return type === undefined ? undefined : { ...event, type };
}
