import type { HeldBodies, HeldBody } from "../../platform/held-bodies.ts";

/** What each piece costs beside its bytes: they come in pieces as small as the sender likes. */
const pieceBytes = 128;

/** Bytes of a control frame beside its payload: those of callers are masked (RFC 6455, 5.2). */
const controlFrameBytes = 6;

/** What has come of a message that is not whole yet, counted among the bodies that are held. */
export class ArrivingMessage {
  readonly #bodies: HeldBodies;
  readonly #keyId: string;
  #held: HeldBody | undefined;
  #bytes = 0;
  /** `performance.now()` of its first byte; undefined: nothing has come. */
  since: number | undefined;

  constructor(bodies: HeldBodies, keyId: string) {
    this.#bodies = bodies;
    this.#keyId = keyId;
  }

  /** Throws 429 or 503 where so much cannot be held. */
  add(bytes: number): void {
    this.since ??= performance.now();
    this.#bytes += bytes;
    this.#held ??= this.#bodies.open(this.#keyId);
    this.#held.add(bytes + pieceBytes);
  }

  /** What came was a control frame; it is no part of a message. */
  leaveOut(payload: Buffer): void {
    this.#bytes -= payload.length + controlFrameBytes;
    if (this.#bytes <= 0) this.end();
  }

  /** It is whole, or will never be. */
  end(): void {
    this.#held?.release();
    this.#held = undefined;
    this.#bytes = 0;
    this.since = undefined;
  }
}
