import { IdleMemoryReleaser } from "./idle-memory-releaser.ts";
import { FairLargeWorkScheduler } from "./large-work-turns.ts";
import { closeAfterResponse, type ConnectionClosingResponse } from "./close-behind-answer.ts";
import type { RequestBodyMemoryOwner } from "./body-holder.ts";
import type { ApiError } from "./errors.ts";
import type { MemoryReleaser } from "./hold-memory.ts";
import {
  requestBodyDroppedForMemoryError,
  bodyShareUsedUpError,
  anonymousBodyMemoryExhaustedError,
  bodyLargerThanShareError,
  bodyTooSlowError,
  bodyMemoryExhaustedError,
} from "./held-body-errors.ts";

/** One account may hold a quarter of the whole, and all callers without a credential another. */
const shares = 4;

/** Beyond so many, a holder is forgotten when it holds nothing. */
const mostIdleHoldings = 1000;

/** How many times a body is looked at in the time over which its speed counts. */
const looksPerWindow = 10;

/** How slowly a body may arrive. */
export interface MinimumRequestBodyRate {
  readonly bytesPerSecond: number;
  /** Time over which the bytes are counted, in milliseconds. */
  readonly overMs: number;
}

/** Choices of `RequestBodyMemoryBudget`. */
export interface RequestBodyMemoryBudgetOptions {
  /** Called when many bytes were held and few are: the engine frees memory only while it allocates. */
  readonly giveBack?: () => void;
  readonly pace?: MinimumRequestBodyRate;
  /** Milliseconds of a clock that only runs forward. */
  readonly now?: () => number;
}

/** Called once when a body is ended before its request is, with the error for its caller. */
export type RequestBodyAbortListener = (reason: ApiError) => void;

const defaultPace: MinimumRequestBodyRate = { bytesPerSecond: 8192, overMs: 10_000 };

/** Bytes that a holder has now, and the bodies they belong to. */
interface Holding {
  readonly id: string;
  readonly hasCredential: boolean;
  readonly bodies: Set<HeldRequestBody>;
  bytes: number;
}

/** Holders that share a number of bytes. */
interface Pool {
  bytes: number;
  readonly mostBytes: number;
  readonly has: (holding: Holding) => boolean;
  /** The error where no holder has to give way. */
  readonly full: () => ApiError;
}

/**
 * The request bodies that this process holds. Bytes count when they arrive. When no room
 * is left, the holder with the most bytes gives way, its slowest body first, to callers
 * that hold less; so a caller whose bodies need no more than its fair share (the whole
 * divided by the number of holders) is never ended. A body that arrives too slowly ends.
 */
export class RequestBodyMemoryBudget {
  /** Bytes that one holder may have; no body can be larger. */
  readonly shareBytes: number;
  /** Called by `HeldRequestBody`: the order in which large bodies are served. */
  readonly turns = new FairLargeWorkScheduler();
  readonly #everybody: Pool;
  readonly #strangers: Pool;
  readonly #holdings = new Map<string, Holding>();
  readonly #now: () => number;
  readonly #pace: MinimumRequestBodyRate;
  readonly #memory: IdleMemoryReleaser;
  #looking: NodeJS.Timeout | undefined;

  constructor(mostMib: number, options: RequestBodyMemoryBudgetOptions = {}) {
    const mostBytes = mostMib * 1024 * 1024;
    this.shareBytes = mostBytes / shares;
    this.#everybody = { bytes: 0, mostBytes, has: () => true, full: bodyMemoryExhaustedError };
    this.#strangers = {
      bytes: 0,
      mostBytes: this.shareBytes,
      has: ({ hasCredential }) => !hasCredential,
      full: anonymousBodyMemoryExhaustedError,
    };
    this.#now = options.now ?? (() => performance.now());
    this.#pace = options.pace ?? defaultPace;
    this.#memory = new IdleMemoryReleaser(options.giveBack ?? (() => undefined));
  }

  /** Bytes of all holders together. */
  get all(): { readonly bytes: number } {
    return this.#everybody;
  }

  /**
   * Opens a body of which nothing has arrived. Release it when its request ends. If it is
   * ended while it arrives, what it arrives over is closed behind `response`.
   */
  allocate(
    { id, hasCredential }: RequestBodyMemoryOwner,
    response?: ConnectionClosingResponse,
  ): HeldRequestBody {
    let holding = this.#holdings.get(id);
    if (holding === undefined) {
      holding = { id, hasCredential, bodies: new Set(), bytes: 0 };
      this.#holdings.set(id, holding);
    }
    const body = new HeldRequestBody(this, holding, this.#now(), response);
    holding.bodies.add(body);
    return body;
  }

  /** Called by `HeldRequestBody`: more bytes of it arrived, or all are released (a negative number). */
  adjust(holding: Holding, bytes: number): void {
    holding.bytes += bytes;
    this.#everybody.bytes += bytes;
    if (!holding.hasCredential) this.#strangers.bytes += bytes;
    this.#memory.record(this.#everybody.bytes);
  }

  /** Called by `HeldRequestBody`: it is no longer held. */
  close(holding: Holding, body: HeldRequestBody): void {
    holding.bodies.delete(body);
    // A few that hold nothing stay: most callers come again.
    const isIdle = holding.bodies.size === 0 && this.#holdings.size > mostIdleHoldings;
    if (isIdle) this.#holdings.delete(holding.id);
  }

  /** Called by `HeldRequestBody`: starts to look at how fast bodies arrive. */
  watchPace(): void {
    this.#looking ??= setInterval(() => this.#look(), this.#pace.overMs / looksPerWindow).unref();
  }

  /**
   * Called by `HeldRequestBody`: makes room for more bytes of `body`, or ends it. Throws 413 if the
   * body is larger than a holder's share, 429 if its holder has too much, and 503 if the
   * whole is full and no holder has more than this one would have.
   */
  makeRoom(body: HeldRequestBody, holding: Holding, bytes: number): void {
    this.assertFits(body, holding, bytes);
    if (!holding.hasCredential) this.#makeRoomIn(this.#strangers, body, holding, bytes);
    this.#makeRoomIn(this.#everybody, body, holding, bytes);
  }

  /** Throws 413 or 429 if so many more bytes of `body` are too many for its holder. */
  assertFits(body: HeldRequestBody, holding: Holding, bytes: number): void {
    if (body.bytes + bytes > this.shareBytes) throw bodyLargerThanShareError(this.shareBytes);
    if (holding.bytes + bytes > this.shareBytes) throw bodyShareUsedUpError(this.shareBytes);
  }

  #makeRoomIn(pool: Pool, body: HeldRequestBody, holding: Holding, bytes: number): void {
    let missing = pool.bytes + bytes - pool.mostBytes;
    while (missing > 0 && !body.wasEnded) {
      const { largest, fairBytes } = this.#survey(pool, holding);
      const wanted = holding.bytes - body.bytes + Math.max(body.declared, body.bytes + bytes);
      if (largest !== undefined && largest.bytes > wanted) {
        this.#endSome(largest, Math.min(missing, largest.bytes - wanted));
      } else if (holding.bytes <= fairBytes) {
        throw pool.full();
      } else if (!this.#endSome(holding, missing, body)) {
        body.end(requestBodyDroppedForMemoryError());
      }
      missing = pool.bytes + bytes - pool.mostBytes;
    }
  }

  /** Finds the holder beside `own` that has the most bytes and can give way, and the fair share. */
  #survey(pool: Pool, own: Holding): { largest: Holding | undefined; fairBytes: number } {
    let holders = 1;
    let largest: Holding | undefined;
    for (const holding of this.#holdings.values()) {
      if (holding === own || holding.bytes === 0 || !pool.has(holding)) continue;
      holders += 1;
      if (holding.bytes > (largest?.bytes ?? 0) && canGiveWay(holding)) largest = holding;
    }
    return { largest, fairBytes: pool.mostBytes / holders };
  }

  /**
   * Ends bodies of a holder, the slowest first, until it has so many bytes less, or `last`
   * is ended. Returns false if none can be ended.
   */
  #endSome(holding: Holding, bytes: number, last?: HeldRequestBody): boolean {
    const now = this.#now();
    const bodies = [...holding.bodies].filter((body) => body.canGiveWay);
    bodies.sort((one, other) => orderOfGivingWay(one, other, now));
    const target = holding.bytes - bytes;
    for (const body of bodies) {
      body.end(requestBodyDroppedForMemoryError());
      if (holding.bytes <= target || body === last) break;
    }
    return bodies.length > 0;
  }

  /**
   * Looks at all bodies that are arriving. Looks are counted and not the time between
   * them: a process that was too busy to read must not blame the sender.
   */
  #look(): void {
    const { bytesPerSecond, overMs } = this.#pace;
    const leastBytes = (bytesPerSecond * overMs) / 1000;
    let isAnyArriving = false;
    for (const { bodies } of this.#holdings.values()) {
      for (const body of bodies) {
        if (!body.isPaced) continue;
        isAnyArriving = true;
        if (body.isSlow(looksPerWindow, leastBytes))
          body.end(bodyTooSlowError(bytesPerSecond, overMs));
      }
    }
    if (isAnyArriving) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

/** What a body that begins to arrive is known by. */
export interface HeldRequestBodyOptions {
  /** Bytes that its head declares; undefined: it does not say. */
  readonly declared: number | undefined;
  readonly onEnd: RequestBodyAbortListener;
  /** False for a stream of messages, which may pause. */
  readonly isPaced?: boolean;
}

/** One request body. It is opened, arrives, is whole, and is released. */
export class HeldRequestBody {
  /** Bytes that have arrived. */
  bytes = 0;
  /** Bytes that its head declares, 0 if it does not say. They do not count. */
  declared = 0;
  /** Whether it ends when it arrives too slowly. */
  isPaced = false;
  readonly #bodies: RequestBodyMemoryBudget;
  readonly #own: Holding;
  readonly #openedAt: number;
  readonly #response: ConnectionClosingResponse | undefined;
  #isArriving = true;
  #onEnd: RequestBodyAbortListener | undefined;
  #endReason: ApiError | undefined;
  #isReleased = false;
  /** Work that waits for the turn of its holder. */
  #onTurn: (() => void) | undefined;
  #looks = 0;
  #bytesAtWindow = 0;

  constructor(
    bodies: RequestBodyMemoryBudget,
    own: Holding,
    openedAt: number,
    response: ConnectionClosingResponse | undefined,
  ) {
    this.#bodies = bodies;
    this.#own = own;
    this.#openedAt = openedAt;
    this.#response = response;
  }

  /** Whether it was ended, to make room or because it was too slow. */
  get wasEnded(): boolean {
    return this.#endReason !== undefined;
  }

  /** Whether it can be ended to make room. */
  get canGiveWay(): boolean {
    return this.bytes > 0 && this.#onEnd !== undefined;
  }

  get isArriving(): boolean {
    return this.#isArriving;
  }

  /**
   * Its sender starts to send it. Throws 413 or 429 at once if what its head declares
   * cannot fit beside the other bodies of its holder.
   */
  begin({ declared = 0, onEnd, isPaced = true }: HeldRequestBodyOptions): void {
    if (this.#isReleased) return;
    this.declared = declared;
    try {
      this.#bodies.assertFits(this, this.#own, declared);
    } catch (error) {
      this.release();
      throw error;
    }
    this.#onEnd = onEnd;
    this.isPaced = isPaced;
    if (isPaced) this.#bodies.watchPace();
  }

  /** More bytes arrived. Throws the error for the caller where they cannot be held, and releases the body. */
  add(bytes: number): void {
    if (this.#isReleased) return this.#throwIfEnded();
    try {
      this.#bodies.makeRoom(this, this.#own, bytes);
    } catch (error) {
      this.release();
      throw error;
    }
    this.#throwIfEnded();
    this.#count(bytes);
  }

  /** Counts memory that it needs. Throws like `add`. */
  hold(bytes: number): MemoryReleaser {
    this.add(bytes);
    let counted = bytes;
    return () => {
      if (!this.#isReleased) this.#count(-counted);
      counted = 0;
    };
  }

  /** All of it has arrived. With a listener it can still be ended to make room. */
  finish(onEnd?: RequestBodyAbortListener): void {
    this.#isArriving = false;
    this.isPaced = false;
    this.#onEnd = onEnd;
  }

  /** Calls `work` when it is the turn of its holder among those with large bodies; never once it is released. */
  takeTurn(work: () => void): void {
    if (this.#isReleased) return;
    this.#onTurn = work;
    this.#bodies.turns.run(this.#own.id, () => {
      const onTurn = this.#onTurn;
      this.#onTurn = undefined;
      onTurn?.();
    });
  }

  /** Ends it: its bytes no longer count, and its listener gets the reason. */
  end(reason: ApiError): void {
    if (this.#isReleased) return;
    const onEnd = this.#onEnd;
    this.#endReason = reason;
    if (this.#isArriving && this.#response !== undefined) closeAfterResponse(this.#response);
    this.release();
    onEnd?.(reason);
  }

  /** It is no longer held. May be called again. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#onEnd = undefined;
    this.#onTurn = undefined;
    this.isPaced = false;
    this.#bodies.adjust(this.#own, -this.bytes);
    this.#bodies.close(this.#own, this);
  }

  /** Bytes per millisecond since it was opened. */
  speed(now: number): number {
    return this.bytes / Math.max(1, now - this.#openedAt);
  }

  /** Looks at it once more: whether fewer than `leastBytes` arrived between the last `looks` looks. */
  isSlow(looks: number, leastBytes: number): boolean {
    this.#looks += 1;
    // It was opened some time before the first look.
    if (this.#looks <= looks) return false;
    const arrived = this.bytes - this.#bytesAtWindow;
    this.#looks = 1;
    this.#bytesAtWindow = this.bytes;
    return arrived < leastBytes;
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#bodies.adjust(this.#own, bytes);
  }

  #throwIfEnded(): void {
    if (this.#endReason !== undefined) throw this.#endReason;
  }
}

function canGiveWay({ bodies }: Holding): boolean {
  for (const body of bodies) if (body.canGiveWay) return true;
  return false;
}

/**
 * Sorts those first that give way first: the slowest of those that arrive, then the
 * largest of those that are served, so that few calls are lost.
 */
function orderOfGivingWay(one: HeldRequestBody, other: HeldRequestBody, now: number): number {
  if (one.isArriving !== other.isArriving) return one.isArriving ? -1 : 1;
  return one.isArriving ? one.speed(now) - other.speed(now) : other.bytes - one.bytes;
}
