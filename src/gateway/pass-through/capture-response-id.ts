import type { CallerResponse } from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { StreamStageFactory, StreamStage } from "./stage.ts";

/** Vendors give the id of a response first, and so does the first event of a stream. */
const maxReadBytes = 2048;

const firstId = /"id"\s*:\s*"([\w-]{1,128})"/;

/** Passes an answer of the responses dialect on as it is, and notes the id that its upstream keeps it by. */
export function createResponseIdRecordingStage(
  answer: CallerResponse,
): StreamStageFactory<Buffer, Buffer> {
  return (next) => new ResponseIdStage(next, answer);
}

class ResponseIdStage implements StreamStage<Buffer> {
  readonly #next: StreamStage<Buffer>;
  readonly #response: CallerResponse;
  /** What has come of the beginning; undefined: enough was looked at. */
  #head: string | undefined = "";

  constructor(next: StreamStage<Buffer>, answer: CallerResponse) {
    this.#next = next;
    this.#response = answer;
  }

  push(chunk: Buffer): boolean {
    if (this.#head !== undefined) this.#look(this.#head, chunk);
    return this.#next.push(chunk);
  }

  finish(): void {
    this.#next.finish();
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  #look(before: string, chunk: Buffer): void {
    const head = before + chunk.toString("latin1", 0, maxReadBytes - before.length);
    const [, id] = firstId.exec(head) ?? [];
    this.#response.responseId = id;
    const isOver = id !== undefined || head.length >= maxReadBytes;
    this.#head = isOver ? undefined : head;
  }
}
