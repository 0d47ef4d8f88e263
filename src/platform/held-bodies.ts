import { ApiError } from "./errors.ts";
import { SweptRecords } from "./swept-records.ts";

const bytesPerMib = 1024 * 1024;

/** One holder's part is a quarter of the whole. */
const holders = 4;

/** When a request ends is not known; a second is the least that can be said. */
const retryAfterSeconds = 1;

/** So much has to be held at once before memory is worth being given back. */
const worthGivingBack = 64 * bytesPerMib;

/** How long so little has to be held that more is not likely to come at once. */
const lullMs = 3000;

/** Bytes that somebody holds now. */
interface Holding {
  bytes: number;
}

/**
 * The request bodies that this process holds, all together and by whose they are:
 * memory that callers fill is bounded, and one of them cannot take it all.
 */
export class HeldBodies {
  /** Of all holders together. */
  readonly all: Holding = { bytes: 0 };
  readonly #mostBytes: number;
  readonly #giveBack: () => void;
  #isWorthIt = false;
  #isWaiting = false;
  readonly #byHolder = new SweptRecords<Holding>(
    () => ({ bytes: 0 }),
    ({ bytes }) => bytes === 0,
  );

  /**
   * `giveBack` is called when many bytes were held and hardly any are: the engine looks
   * for what it can free only while new things are made.
   */
  constructor(mostMib: number, giveBack: () => void = () => undefined) {
    this.#mostBytes = mostMib * bytesPerMib;
    this.#giveBack = giveBack;
  }

  /** A body of `holder`, a key's id or what stands for it, of which nothing has come. */
  open(holder: string): HeldBody {
    return new HeldBody(this, this.#byHolder.of(holder));
  }

  /** Why `own` and all together cannot hold so many bytes more; undefined: they can. */
  refusalOf(own: Holding, bytes: number): ApiError | undefined {
    if (own.bytes + bytes > this.#mostBytes / holders) return tooManyOfOne(this.#mostBytes);
    return this.all.bytes + bytes > this.#mostBytes ? tooMany() : undefined;
  }

  /** So many bytes more, or less, are held. */
  count(bytes: number): void {
    this.all.bytes += bytes;
    if (this.all.bytes >= worthGivingBack) this.#isWorthIt = true;
    else if (this.#isWorthIt && !this.#isWaiting) this.#wait();
  }

  #wait(): void {
    this.#isWaiting = true;
    setTimeout(() => this.#endLull(), lullMs).unref();
  }

  #endLull(): void {
    this.#isWaiting = false;
    if (this.all.bytes >= worthGivingBack) return;
    this.#isWorthIt = false;
    this.#giveBack();
  }
}

/** One request body, as far as it is held. */
export class HeldBody {
  readonly #bodies: HeldBodies;
  readonly #own: Holding;
  #bytes = 0;
  #isReleased = false;

  constructor(bodies: HeldBodies, own: Holding) {
    this.#bodies = bodies;
    this.#own = own;
  }

  /**
   * So many bytes more are about to be held. Throws 429 when they are too many for the
   * holder and 503 when they are too many for the process; then the body is released,
   * because nobody goes on with it.
   */
  add(bytes: number): void {
    if (this.#isReleased) return;
    const refusal = this.#bodies.refusalOf(this.#own, bytes);
    if (refusal === undefined) {
      this.#count(bytes);
      return;
    }
    this.release();
    throw refusal;
  }

  /** The body is held no more; only the first time counts, and nothing is added from then on. */
  release(): void {
    this.#count(-this.#bytes);
    this.#isReleased = true;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#own.bytes += bytes;
    this.#bodies.count(bytes);
  }
}

function tooManyOfOne(mostBytes: number): ApiError {
  const mebibytes = mostBytes / holders / bytesPerMib;
  return new ApiError(
    "rate_limited",
    `The bodies of one caller's requests under way may have ${mebibytes} MiB together; send smaller ones, or wait until one has ended.`,
    { retryAfterSeconds },
  );
}

function tooMany(): ApiError {
  return new ApiError(
    "unavailable",
    "The server holds as many request bodies as it may; wait and send the request again.",
    { retryAfterSeconds },
  );
}
