import { createHash } from "node:crypto";
import type { CachedReasoningLookup, HistoryToolCall } from "../../dialect/cached-reasoning.ts";
import { hasTooManyUpstreamJsonValues } from "../../dialect/value-limit.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import type { Clock } from "../../platform/clock.ts";

/** Whose thoughts they are; another key of the same account does not have them. */
export interface ReasoningCacheCaller {
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

interface FoundEntry {
  readonly id: string;
  readonly entry: Entry;
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

  set(owner: ReasoningCacheCaller, call: HistoryToolCall, sealed: readonly string[]): void {
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

  /** The entries of one key, for one request. `hold` counts those that it takes. */
  lookUp(owner: ReasoningCacheCaller, hold: MemoryReserver): CachedReasoningLookup {
    const taken = new Set<string>();
    // For an account without entries, no call of a history is hashed.
    const find = (call: HistoryToolCall): FoundEntry | undefined =>
      this.#shelves.has(owner.accountId) ? this.#find(entryId(owner, call)) : undefined;
    return {
      has: (call) => find(call) !== undefined,
      take: (call) => {
        const found = find(call);
        if (found === undefined || taken.has(found.id)) return undefined;
        const sealed = readSealed(found.entry, hold);
        if (sealed.length > 0) taken.add(found.id);
        return sealed;
      },
    };
  }

  #find(id: string): FoundEntry | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || entry.until <= this.#clock.now() ? undefined : { id, entry };
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

/** Their texts may need two bytes for each character of the envelopes, once these are opened. */
function readSealed({ sealed }: Entry, hold: MemoryReserver): readonly string[] {
  hold(2 * sealed.length);
  return JSON.parse(sealed.toString()) as string[];
}

/**
 * The key is part of it, so that nobody finds another's; what was called is part
 * of it, because some upstreams begin at `call_0` in every conversation.
 */
function entryId(
  { keyId }: ReasoningCacheCaller,
  { id, name, arguments: text }: HistoryToolCall,
): string {
  const called = JSON.stringify([keyId, id, name, canonical(text)]);
  return createHash("sha256").update(called).digest("base64url");
}

/** Clients that parse arguments print them with other white space. */
function canonical(text: string): string {
  if (hasTooManyUpstreamJsonValues(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
