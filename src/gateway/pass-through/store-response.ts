import { ByteCollector } from "../../platform/byte-collector.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { ResponseObjectExtractor } from "./response-extractor.ts";
import type { StreamStageFactory, StreamStage } from "./stage.ts";

/** Keeps a response object of the responses dialect for later calls; never rejects. */
export type ResponseObjectRecorder = (response: JsonObject) => Promise<void>;

/**
 * Passes an answer on as it is, and keeps it before its caller hears that it is
 * complete, so that the next call can go on from it at once.
 */
export function createRelayedResponseStoringStage(
  finder: ResponseObjectExtractor,
  keep: ResponseObjectRecorder,
): StreamStageFactory<Buffer, Buffer> {
  return (next) => new ResponseStoringStage(next, finder, keep);
}

/** What follows the last event is a few bytes; more than this does not wait until the response is stored. */
const maxHeldBytes = 1024 * 1024;

class ResponseStoringStage implements StreamStage<Buffer> {
  readonly #next: StreamStage<Buffer>;
  readonly #finder: ResponseObjectExtractor;
  readonly #keep: ResponseObjectRecorder;
  readonly #buffered = new ByteCollector();
  #isKeeping = false;
  #isDone = false;
  /** What came after all while the response was being kept. */
  #ending: (() => void) | undefined;

  constructor(
    next: StreamStage<Buffer>,
    finder: ResponseObjectExtractor,
    keep: ResponseObjectRecorder,
  ) {
    this.#next = next;
    this.#finder = finder;
    this.#keep = keep;
  }

  push(chunk: Buffer): boolean {
    if (this.#isDone) return this.#next.push(chunk);
    this.#buffered.push(chunk);
    if (this.#isKeeping) return this.#buffered.length <= maxHeldBytes || this.#flushBuffered();
    const response = this.#finder.push(chunk);
    if (response !== undefined) this.#keepNow(response);
    return response !== undefined || this.#finder.isFullyBuffered || this.#flushBuffered();
  }

  finish(): void {
    this.#endWith(() => this.#next.finish());
  }

  fail(cause: CallFailure): void {
    this.#endWith(() => this.#next.fail(cause));
  }

  #endWith(ending: () => void): void {
    this.#ending = ending;
    if (this.#isKeeping) return;
    const response = this.#isDone ? undefined : this.#finder.finish();
    if (response === undefined) this.#release();
    else this.#keepNow(response);
  }

  #keepNow(response: JsonObject): void {
    this.#isKeeping = true;
    void this.#keep(response).then(() => this.#release());
  }

  #release(): void {
    this.#isKeeping = false;
    this.#isDone = true;
    this.#flushBuffered();
    this.#ending?.();
  }

  #flushBuffered(): boolean {
    return this.#buffered.length === 0 || this.#next.push(this.#buffered.take());
  }
}
