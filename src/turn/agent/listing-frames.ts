import type { ToldListing } from "../../agent/run/listing-items.ts";
import type { ResponseJournal } from "../journal/response-journal.ts";

/** Tells what servers have; nothing of what was told by another process. */
export function listingFrames(
  journal: ResponseJournal,
  listings: readonly ToldListing[],
): readonly string[] {
  return listings.flatMap(({ begun, events, item }) => [
    ...journal.begin(begun),
    ...events.flatMap((event) => journal.about(item["id"], event)),
    ...journal.finish(item),
  ]);
}
