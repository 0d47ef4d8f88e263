import type { EntityManager } from "@mikro-orm/postgresql";
import type { ModelPrice } from "../platform/configuration/model-price.ts";
import type { CallTags } from "./call-tags.ts";
import type { KeyBudget } from "./caller-key.ts";

/** Tokens of a call as they are priced: `input` is what was neither read from nor written to a cache. */
export interface PricedCallTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What a call has used, as far as it is known. */
export interface CallTokenUsage extends PricedCallTokens {
  /** Counted here, not told by the vendor. */
  readonly isEstimated: boolean;
  /** The vendor's own object. */
  readonly raw: unknown;
}

/** A call that is to be paid from a wallet. */
export interface CreditsReservationRequest {
  /** `call_…`, minted for this reservation. */
  readonly id: string;
  /** The call that it belongs to, where that has another id: a further target of the call has a price of its own. */
  readonly callId?: string | undefined;
  readonly accountId: string;
  readonly keyId: string;
  /** Id of the catalogue. */
  readonly model: string;
  readonly price: ModelPrice;
  /** The most that it is expected to use. */
  readonly tokens: PricedCallTokens;
  readonly budget: KeyBudget | undefined;
  readonly tags?: CallTags | undefined;
  /** Made again because a process died. */
  readonly isRepeated?: boolean;
}

/** Money held for a call that runs. End it once, with `settle` or `release`. */
export interface CreditsReservation {
  /** Notes what was used so far and keeps the hold alive. */
  checkpoint(used: CallTokenUsage): Promise<void>;
  /** Charges what was used and gives the rest back; inside a transaction, where one is given. */
  settle(used: CallTokenUsage, within?: EntityManager): Promise<void>;
  /** Charges nothing: the call came to nothing. */
  release(within?: EntityManager): Promise<void>;
}
