import { createHash } from "node:crypto";
import type { CachedReasoningLookup, HistoryToolCall } from "../../dialect/cached-reasoning.ts";
import type { Clock } from "../../platform/clock.ts";

/** Whose thoughts they are; another key of the same account does not have them. */
export interface ReasoningCacheOwner {
  readonly accountId: string;
  readonly keyId: string;
}

/** How much is remembered in one process, and how long. */
export interface ReasoningCacheLimits {
  readonly milliseconds: number;
  /** Answers, of all accounts and of one. */
  readonly entries: number;
  readonly entriesOfAccount: number;
  readonly bytes: number;
  readonly bytesOfAccount: number;
}

const defaultLimits: ReasoningCacheLimits = {
  milliseconds: 60 * 60_000,
  entries: 20_000,
  entriesOfAccount: 4000,
  bytes: 32 * 1024 * 1024,
  bytesOfAccount: 8 * 1024 * 1024,
};

interface Entry {
  readonly accountId: string;
  /** JSON of the sealed texts. */
  readonly sealed: Buffer;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

interface AccountEntries {
  /** Oldest first. */
  readonly ids: Set<string>;
  bytes: number;
}

/** What an entry takes beside its own bytes, roughly. */
const overhead = 256;

/**
 * The thoughts in front of the tool calls of the last hour, sealed as their
 * callers got them. Each process remembers what it answered itself: a call that
 * goes on in another one does without, and is told so. The oldest go first where
 * the room ends, an account's own before another's.
 */
export class ReasoningCache {
  readonly #clock: Clock;
  readonly #limits: ReasoningCacheLimits;
  /** Oldest first: all live equally long. */
  readonly #entries = new Map<string, Entry>();
  readonly #shelves = new Map<string, AccountEntries>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, limits: Partial<ReasoningCacheLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  set(owner: ReasoningCacheOwner, call: HistoryToolCall, sealed: readonly string[]): void {
    const { accountId } = owner;
    const id = entryId(owner, call);
    this.#forget(id);
    const bytes = this.#fitting(sealed);
    this.#entries.set(id, {
      accountId,
      sealed: bytes,
      until: this.#clock.now() + this.#limits.milliseconds,
    });
    const shelf = this.#shelves.get(accountId) ?? { ids: new Set<string>(), bytes: 0 };
    this.#shelves.set(accountId, shelf);
    shelf.ids.add(id);
    shelf.bytes += bytes.length + overhead;
    this.#bytes += bytes.length + overhead;
    this.#evict(shelf);
    this.#sweepLater();
  }

  /** What one key may have back. */
  lookUp(owner: ReasoningCacheOwner): CachedReasoningLookup {
    return {
      // Whoever has nothing here is not worth a hash for every call of a history.
      before: (call) =>
        this.#shelves.has(owner.accountId) ? this.#find(entryId(owner, call)) : undefined,
    };
  }

  #find(id: string): readonly string[] | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.until <= this.#clock.now()) return undefined;
    return JSON.parse(entry.sealed.toString()) as string[];
  }

  /** What would take half of the account's room is remembered as too large. */
  #fitting(sealed: readonly string[]): Buffer {
    const bytes = Buffer.from(JSON.stringify(sealed));
    const isTooLarge = bytes.length > this.#limits.bytesOfAccount / 2;
    return isTooLarge ? Buffer.from(JSON.stringify([""])) : bytes;
  }

  #evict(shelf: AccountEntries): void {
    const { entries, entriesOfAccount, bytes, bytesOfAccount } = this.#limits;
    while (shelf.ids.size > entriesOfAccount || shelf.bytes > bytesOfAccount) {
      this.#forgetFirst(shelf.ids);
    }
    while (this.#entries.size > entries || this.#bytes > bytes) {
      this.#forgetFirst(this.#entries);
    }
  }

  #forgetFirst(ids: { keys(): IterableIterator<string> }): void {
    for (const id of ids.keys()) {
      this.#forget(id);
      return;
    }
  }

  #forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const size = entry.sealed.length + overhead;
    this.#entries.delete(id);
    this.#bytes -= size;
    const shelf = this.#shelves.get(entry.accountId);
    if (shelf === undefined) return;
    shelf.ids.delete(id);
    shelf.bytes -= size;
    if (shelf.ids.size === 0) this.#shelves.delete(entry.accountId);
  }

  /** What is over goes, also when nothing new comes. */
  #sweepLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sweep();
      if (this.#entries.size > 0) this.#sweepLater();
    }, this.#limits.milliseconds / 12).unref();
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#entries) {
      if (until > now) return;
      this.#forget(id);
    }
  }
}

/**
 * The key is part of it, so that nobody finds another's; what was called is part
 * of it, because some upstreams begin at `call_0` in every conversation.
 */
function entryId(
  { keyId }: ReasoningCacheOwner,
  { id, name, arguments: text }: HistoryToolCall,
): string {
  const called = JSON.stringify([keyId, id, name, canonical(text)]);
  return createHash("sha256").update(called).digest("base64url");
}

/** Clients that parse arguments print them with other white space. */
function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
