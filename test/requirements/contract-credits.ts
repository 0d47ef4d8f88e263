import { tested, type Requirement } from "./requirement.ts";

/** Contract section 10, what it says of the credits route. */
export const contractCredits: readonly Requirement[] = [
  ...tested("contract 10, the credits route", [
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
  ]),
];
