import { tested, type Requirement } from "./requirement.ts";

/** Credits, prices and usage. */
export const credits: readonly Requirement[] = tested([
  [
    "money.reserve",
    "A credits call is reserved first: text / 4 at the input price plus the output cap.",
    "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
  ],
  [
    "money.settle",
    "A credits call is settled by reported usage, else by what was relayed.",
    "wallet/wallet > pays what the vendor told, cached input at its own price",
  ],
  [
    "money.no-fit",
    "A reserve that does not fit is 402.",
    "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
    "process/budget > %s: 5 are admitted, 45 get 402, and what they did not use is given back",
  ],
  [
    "money.own-free",
    "Own credentials cost 0; a budget counts catalogue prices.",
    "wallet/wallet > is never asked for the caller's own credential",
    "wallet/wallet > do not count calls on own credentials",
  ],
  [
    "money.call-id",
    "Ledger rows are keyed by an id of ours.",
    "wallet/wallet > sums calls by day, model and key, of the account or of the key that asks",
    "process/kill-streams > has each reserved call once, whatever is killed in the middle of streams",
    "process/kills > keeps its books when it is killed under load and started again",
  ],
  [
    "credits.unstored",
    "On credits nothing is left with the vendor: store: false is sent.",
    "gateway/credits/kept-on-credits > leave nothing with the vendor and are gone on from here",
    "gateway/credits/kept-on-credits > reach the vendor byte for byte but for what must change",
    "gateway/credits/vendor-state > stays as it was when a chat caller is served by a vendor of responses",
  ],
  [
    "credits.references",
    "previous_response_id and item_reference are resolved here.",
    "gateway/credits/kept-on-credits > refer to items that were kept",
    "gateway/credits/kept-on-credits > are not opened by another account, nor kept with store false",
    "gateway/credits/kept-on-credits > are kept before a stream says that it is complete",
  ],
  [
    "credits.vendor-state",
    "conversation and prompt are 400 with their param.",
    "gateway/credits/vendor-state > is not opened or added to by %s",
  ],
  [
    "usage.own",
    "A key sees its own usage only.",
    "wallet/wallet > sums calls by day, model and key, of the account or of the key that asks",
  ],
]);
