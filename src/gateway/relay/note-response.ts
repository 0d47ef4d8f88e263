import type { Answer } from "../call/answer.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Link, Stage } from "./stage.ts";

/** Vendors give the id of a response first, and so does the first event of a stream. */
const readBytesAtMost = 2048;

const firstId = /"id"\s*:\s*"([\w-]{1,128})"/;

/** Passes an answer of the responses dialect on as it is, and notes the id that its upstream keeps it by. */
export function noteResponse(answer: Answer): Link<Buffer, Buffer> {
  return (next) => new ResponseNoter(next, answer);
}

class ResponseNoter implements Stage<Buffer> {
  readonly #next: Stage<Buffer>;
  readonly #answer: Answer;
  /** What has come of the beginning; undefined: enough was looked at. */
  #head: string | undefined = "";

  constructor(next: Stage<Buffer>, answer: Answer) {
    this.#next = next;
    this.#answer = answer;
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
    const head = before + chunk.toString("latin1", 0, readBytesAtMost - before.length);
    const [, id] = firstId.exec(head) ?? [];
    this.#answer.responseId = id;
    const isOver = id !== undefined || head.length >= readBytesAtMost;
    this.#head = isOver ? undefined : head;
  }
}
