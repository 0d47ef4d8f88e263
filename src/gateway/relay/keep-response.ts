import type { JsonObject } from "../../dialect/json.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { ResponseFinder } from "./response-finder.ts";
import type { Link, Stage } from "./stage.ts";

/** Keeps a response object of the responses dialect for later calls; never rejects. */
export type KeepResponse = (response: JsonObject) => Promise<void>;

/**
 * Passes an answer on as it is, and keeps it before its caller hears that it is
 * complete, so that the next call can go on from it at once.
 */
export function keepResponse(finder: ResponseFinder, keep: KeepResponse): Link<Buffer, Buffer> {
  return (next) => new ResponseKeeper(next, finder, keep);
}

class ResponseKeeper implements Stage<Buffer> {
  readonly #next: Stage<Buffer>;
  readonly #finder: ResponseFinder;
  readonly #keep: KeepResponse;
  #held: Buffer[] = [];
  #isKeeping = false;
  #isDone = false;
  /** What came after all while the response was being kept. */
  #ending: (() => void) | undefined;

  constructor(next: Stage<Buffer>, finder: ResponseFinder, keep: KeepResponse) {
    this.#next = next;
    this.#finder = finder;
    this.#keep = keep;
  }

  push(chunk: Buffer): boolean {
    if (this.#isDone) return this.#next.push(chunk);
    this.#held.push(chunk);
    if (this.#isKeeping) return true;
    const response = this.#finder.push(chunk);
    if (response !== undefined) this.#keepNow(response);
    return response !== undefined || this.#finder.holdsAll || this.#passHeld();
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
    this.#passHeld();
    this.#ending?.();
  }

  #passHeld(): boolean {
    const held = this.#held;
    this.#held = [];
    return held.reduce((_mayGoOn, chunk) => this.#next.push(chunk), true);
  }
}
