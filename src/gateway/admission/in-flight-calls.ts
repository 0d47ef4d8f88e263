import { IdleEvictingMap } from "../../platform/idle-evicting-map.ts";

/** A number of model calls that are under way. */
interface InFlightCount {
  count: number;
}

/** The numbers that a call raises while it is under way. */
export interface CallerInFlightCounts {
  readonly key: InFlightCount;
  /** Of all keys of the account together. */
  readonly account: InFlightCount;
  /** Of all accounts together. */
  readonly all: InFlightCount;
}

/** Whose call it is. */
export interface InFlightCaller {
  readonly keyId: string;
  readonly accountId: string;
}

/** The model calls that are under way in this process, by key and by account. */
export class InFlightCallCounter {
  readonly all: InFlightCount = { count: 0 };
  readonly #keys = createCounts();
  readonly #accounts = createCounts();

  /** Keys and accounts that are remembered now. */
  get size(): number {
    return this.#keys.size + this.#accounts.size;
  }

  /** The counts of a caller: raise and lower them in place. Get them again for each call. */
  of({ keyId, accountId }: InFlightCaller): CallerInFlightCounts {
    const key = this.#keys.getOrCreate(keyId);
    return { key, account: this.#accounts.getOrCreate(accountId), all: this.all };
  }
}

function createCounts(): IdleEvictingMap<InFlightCount> {
  return new IdleEvictingMap<InFlightCount>(
    () => ({ count: 0 }),
    ({ count }) => count === 0,
  );
}
