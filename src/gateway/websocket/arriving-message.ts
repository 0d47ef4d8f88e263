import type { ApiError } from "../../platform/errors.ts";
import type { BodyHolder } from "../../platform/body-holder.ts";
import type { BodyEndListener, HeldBodies, HeldBody } from "../../platform/held-bodies.ts";

/** What each piece costs beside its bytes: they come in pieces as small as the sender likes. */
const pieceBytes = 128;

/** Bytes of a control frame beside its payload: those of callers are masked (RFC 6455, 5.2). */
const controlFrameBytes = 6;

/** What has come of a message that is not whole yet, counted among the bodies that are held. */
export class ArrivingMessage {
  readonly #bodies: HeldBodies;
  readonly #holder: BodyHolder;
  #held: HeldBody | undefined;
  #bytes = 0;
  /** `performance.now()` of its first byte; undefined: nothing has come. */
  since: number | undefined;

  constructor(bodies: HeldBodies, holder: BodyHolder) {
    this.#bodies = bodies;
    this.#holder = holder;
  }

  /** Called with the error for the caller where the message cannot be held, or is too slow. */
  onEnd: BodyEndListener = () => undefined;

  /** Counts more bytes of it. */
  add(bytes: number): void {
    this.since ??= performance.now();
    this.#bytes += bytes;
    const held = (this.#held ??= this.#begin());
    if (held.wasEnded) return;
    try {
      held.add(bytes + pieceBytes);
    } catch (error) {
      if (!held.wasEnded) this.onEnd(error as ApiError);
    }
  }

  /** What came was a control frame; it is no part of a message. */
  leaveOut(payload: Buffer): void {
    this.#bytes -= payload.length + controlFrameBytes;
    if (this.#bytes <= 0) this.end();
  }

  #begin(): HeldBody {
    const held = this.#bodies.open(this.#holder);
    held.begin({ declared: undefined, onEnd: (reason) => this.onEnd(reason) });
    return held;
  }

  /** It is whole, or will never be. */
  end(): void {
    this.#held?.release();
    this.#held = undefined;
    this.#bytes = 0;
    this.since = undefined;
  }
}
