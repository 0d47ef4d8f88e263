import { readHarEntries } from "../har/har-entry.ts";
import { observeHarEntry } from "../har/observe-entry.ts";
import { TrafficObservationCollector } from "./node-of-observations.ts";
import type { LearnedPathNode } from "./path-node.ts";

/** Learns from a HAR 1.2 object in UTF-8. Throws `InvalidHarError` for any other text. */
export function learnPathTreeFromHar(capture: Uint8Array): LearnedPathNode {
  const drafts = new TrafficObservationCollector();
  for (const entry of readHarEntries(capture)) {
    const observation = observeHarEntry(entry);
    if (observation !== undefined) drafts.add(observation);
  }
  return drafts.node();
}
