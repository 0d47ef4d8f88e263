import { setTimeout as delay } from "node:timers/promises";
import { EventReader } from "../platform/sse/event-reader.ts";
import { readEvents } from "../platform/sse/read-events.ts";
import type { StreamEvent } from "../platform/sse/stream-event.ts";
import type { CaseAsk } from "./ask.ts";
import { fieldsOf } from "./grammar/fields.ts";
import type { JsonObject } from "../platform/json-value.ts";
import { askGateway, type GatewayAddress, type GatewayAnswer } from "./http/gateway-client.ts";
import { mustHold } from "./outcome.ts";
import type { Reading } from "./reading.ts";
import type { Speech } from "./speech/speech.ts";

/** The largest event that is read, and more than any client should be sent. */
const largestEventBytes = 64 * 1024 * 1024;

/** How often a limit is waited for, and how many seconds at most. */
const waitsAtMost = 5;
const longestWait = 60;

/** A whole answer: its body, and what it says. */
export interface Whole {
  readonly answer: GatewayAnswer;
  readonly body: JsonObject;
  readonly reading: Reading;
}

/** A stream: its events, and the whole answer they add up to. */
export interface Streamed extends Whole {
  readonly events: readonly StreamEvent[];
}

/** Asks a gateway in one dialect. Equal asks are sent once, unless a case wants a fresh answer. */
export class Probe {
  readonly speech: Speech;
  readonly model: string;
  readonly #gateway: GatewayAddress;
  readonly #asked = new Map<string, Promise<GatewayAnswer>>();

  constructor(speech: Speech, gateway: GatewayAddress, model: string) {
    this.speech = speech;
    this.model = model;
    this.#gateway = gateway;
  }

  /**
   * Posts a body as it is, with the caller's credential unless others are given.
   * A gateway whose limit is reached is given the time that it asks for.
   */
  async post(
    body: object | string,
    path = this.speech.path,
    credentials = this.credentials(),
  ): Promise<GatewayAnswer> {
    for (let waits = 1; ; waits += 1) {
      const answer = await askGateway(this.#gateway, { path, body, headers: credentials });
      if (answer.status !== 429 || waits > waitsAtMost) return answer;
      await delay(secondsToWait(answer) * 1000);
    }
  }

  async get(path: string): Promise<GatewayAnswer> {
    return await askGateway(this.#gateway, { path, headers: this.credentials() });
  }

  /** Headers with the caller's credential. */
  credentials(): Readonly<Record<string, string>> {
    return this.speech.credentials(this.#gateway.key);
  }

  /** The body that an ask is sent as. */
  bodyOf(ask: CaseAsk, isStream: boolean): JsonObject {
    const { speech, model } = this;
    const asksUsage = isStream && speech.name === "chat" && ask.wantsUsage !== false;
    return {
      ...speech.request(ask, model),
      ...(isStream && { stream: true }),
      ...(asksUsage && { stream_options: { include_usage: true } }),
    };
  }

  /** The answer to an ask, whatever it is. */
  async answer(ask: CaseAsk, isStream = false): Promise<GatewayAnswer> {
    const body = this.bodyOf(ask, isStream);
    const text = JSON.stringify(body);
    const known = this.#asked.get(text) ?? this.post(text);
    this.#asked.set(text, known);
    return await known;
  }

  /** A whole answer; fails the case when there is none. */
  async whole(ask: CaseAsk): Promise<Whole> {
    return this.readWhole(await this.answer(ask));
  }

  readWhole(answer: GatewayAnswer): Whole {
    expectStatus(answer, 200);
    mustHold(answer.body !== undefined, "The body of the answer is no JSON.");
    const body = fieldsOf(answer.body);
    return { answer, body, reading: this.speech.read(body) };
  }

  /** A stream, accumulated as the official client does; fails the case when that throws. */
  async streamed(ask: CaseAsk): Promise<Streamed> {
    const answer = await this.answer(ask, true);
    const events = this.eventsOf(answer);
    const body = this.speech.accumulate(events);
    return { answer, events, body, reading: this.speech.read(body) };
  }

  /** The events that the official client sees in an answer. */
  eventsOf(answer: GatewayAnswer): readonly StreamEvent[] {
    expectStatus(answer, 200);
    const type = answer.headers.get("content-type") ?? "none";
    mustHold(
      type.startsWith("text/event-stream"),
      `The content type of the stream is ${type}, not text/event-stream.`,
    );
    if (!this.speech.flushesAtEnd) return readEvents(answer.text);
    const reader = new EventReader(largestEventBytes);
    return [...reader.push(Buffer.from(answer.text)), ...reader.finish()];
  }
}

function secondsToWait({ headers }: GatewayAnswer): number {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds, longestWait) : 2;
}

/** Fails the case with what the gateway said, cut short, when it did not answer as wanted. */
export function expectStatus({ status, text }: GatewayAnswer, wanted: number): void {
  const said = text.replaceAll(/\s+/g, " ").slice(0, 200);
  mustHold(status === wanted, `The answer is ${status}, not ${wanted}: ${said || "no body"}`);
}
