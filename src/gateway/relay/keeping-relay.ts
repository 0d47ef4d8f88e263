import type { JsonObject } from "../../dialect/json.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Receiver } from "./receiver.ts";
import type { ResponseFinder } from "./response-finder.ts";

/** Keeps a response object of the responses dialect for later calls; never rejects. */
export type KeepResponse = (response: JsonObject) => Promise<void>;

/**
 * Passes an answer on as it is, and keeps it before its caller hears that it is
 * complete, so that the next call can go on from it at once.
 */
export class KeepingRelay implements Receiver {
  readonly #receiver: Receiver;
  readonly #finder: ResponseFinder;
  readonly #keep: KeepResponse;
  #held: Buffer[] = [];
  #isKeeping = false;
  #isDone = false;
  #hasBytes = false;
  /** What came after all while the response was being kept. */
  #ending: (() => void) | undefined;

  constructor(receiver: Receiver, finder: ResponseFinder, keep: KeepResponse) {
    this.#receiver = receiver;
    this.#finder = finder;
    this.#keep = keep;
  }

  get isEmpty(): boolean {
    return !this.#hasBytes;
  }

  data(chunk: Buffer): boolean {
    this.#hasBytes = true;
    if (this.#isDone) return this.#receiver.data(chunk);
    this.#held.push(chunk);
    if (this.#isKeeping) return true;
    const response = this.#finder.push(chunk);
    if (response !== undefined) this.#keepNow(response);
    return response !== undefined || this.#finder.holdsAll || this.#passHeld();
  }

  begin(): void {
    this.#receiver.begin();
  }

  end(): void {
    this.#endWith(() => this.#receiver.end());
  }

  broken(cause: CallFailure): void {
    this.#endWith(() => this.#receiver.broken(cause));
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
    return held.reduce((_mayGoOn, chunk) => this.#receiver.data(chunk), true);
  }
}
