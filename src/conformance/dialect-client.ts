import { setTimeout as delay } from "node:timers/promises";
import { SseEventReader } from "../platform/sse/event-reader.ts";
import { parseEventStreamText } from "../platform/sse/read-events.ts";
import type { SseEvent } from "../platform/sse/stream-event.ts";
import type { ConformanceCaseRequest } from "./case-request.ts";
import { objectOrEmpty } from "./grammar/fields.ts";
import type { JsonObject } from "../platform/json-value.ts";
import {
  sendConformanceHttpRequest,
  type ConformanceGatewayOptions,
  type TestedGatewayResponse,
} from "./http/gateway-client.ts";
import { failCaseUnless } from "./outcome.ts";
import type { ConformanceResponse } from "./parsed-response.ts";
import type { ConformanceDialect } from "./dialect/conformance-dialect.ts";

/** The largest event that is read, and more than any client should be sent. */
const maxEventBytes = 64 * 1024 * 1024;

/** How often a limit is waited for, and how many seconds at most. */
const maxWaits = 5;
const maxWaitMs = 60;

/** A whole answer: its body, and what it says. */
export interface ConformanceWholeResponse {
  readonly response: TestedGatewayResponse;
  readonly body: JsonObject;
  readonly parsed: ConformanceResponse;
}

/** A stream: its events, and the whole answer they add up to. */
export interface ConformanceStreamResponse extends ConformanceWholeResponse {
  readonly events: readonly SseEvent[];
}

/** Asks a gateway in one dialect. Equal asks are sent once, unless a case wants a fresh answer. */
export class ConformanceClient {
  readonly speech: ConformanceDialect;
  readonly model: string;
  readonly #gateway: ConformanceGatewayOptions;
  readonly #cachedRequests = new Map<string, Promise<TestedGatewayResponse>>();

  constructor(speech: ConformanceDialect, gateway: ConformanceGatewayOptions, model: string) {
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
  ): Promise<TestedGatewayResponse> {
    for (let waits = 1; ; waits += 1) {
      const answer = await sendConformanceHttpRequest(this.#gateway, {
        path,
        body,
        headers: credentials,
      });
      if (answer.status !== 429 || waits > maxWaits) return answer;
      await delay(secondsToWait(answer) * 1000);
    }
  }

  async get(path: string): Promise<TestedGatewayResponse> {
    return await sendConformanceHttpRequest(this.#gateway, { path, headers: this.credentials() });
  }

  /** Headers with the caller's credential. */
  credentials(): Readonly<Record<string, string>> {
    return this.speech.credentials(this.#gateway.key);
  }

  /** The body that an ask is sent as. */
  bodyOf(ask: ConformanceCaseRequest, isStream: boolean): JsonObject {
    const { speech, model } = this;
    const asksUsage = isStream && speech.name === "chat" && ask.wantsUsage !== false;
    return {
      ...speech.request(ask, model),
      ...(isStream && { stream: true }),
      ...(asksUsage && { stream_options: { include_usage: true } }),
    };
  }

  /** The answer to an ask, whatever it is. */
  async sendCase(ask: ConformanceCaseRequest, isStream = false): Promise<TestedGatewayResponse> {
    const body = this.bodyOf(ask, isStream);
    const text = JSON.stringify(body);
    const known = this.#cachedRequests.get(text) ?? this.post(text);
    this.#cachedRequests.set(text, known);
    return await known;
  }

  /** A whole answer; fails the case when there is none. */
  async requestWhole(ask: ConformanceCaseRequest): Promise<ConformanceWholeResponse> {
    return this.readWhole(await this.sendCase(ask));
  }

  readWhole(answer: TestedGatewayResponse): ConformanceWholeResponse {
    expectStatus(answer, 200);
    failCaseUnless(answer.body !== undefined, "The body of the answer is no JSON.");
    const body = objectOrEmpty(answer.body);
    return { response: answer, body, parsed: this.speech.read(body) };
  }

  /** A stream, accumulated as the official client does; fails the case when that throws. */
  async requestStream(ask: ConformanceCaseRequest): Promise<ConformanceStreamResponse> {
    const answer = await this.sendCase(ask, true);
    const events = this.eventsOf(answer);
    const body = this.speech.accumulate(events);
    return { response: answer, events, body, parsed: this.speech.read(body) };
  }

  /** The events that the official client sees in an answer. */
  eventsOf(answer: TestedGatewayResponse): readonly SseEvent[] {
    expectStatus(answer, 200);
    const type = answer.headers.get("content-type") ?? "none";
    failCaseUnless(
      type.startsWith("text/event-stream"),
      `The content type of the stream is ${type}, not text/event-stream.`,
    );
    if (!this.speech.flushesAtEnd) return parseEventStreamText(answer.text);
    const reader = new SseEventReader(maxEventBytes);
    return [...reader.push(Buffer.from(answer.text)), ...reader.finish()];
  }
}

function secondsToWait({ headers }: TestedGatewayResponse): number {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds, maxWaitMs) : 2;
}

/** Fails the case with what the gateway said, cut short, when it did not answer as wanted. */
export function expectStatus({ status, text }: TestedGatewayResponse, wanted: number): void {
  const said = text.replaceAll(/\s+/g, " ").slice(0, 200);
  failCaseUnless(status === wanted, `The answer is ${status}, not ${wanted}: ${said || "no body"}`);
}
