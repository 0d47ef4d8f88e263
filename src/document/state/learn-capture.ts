import { readHarEntries } from "../har/har-entry.ts";
import { observeHarEntry } from "../har/observe-entry.ts";
import { ObservationCollector } from "./node-of-observations.ts";
import type { PathNode } from "./path-node.ts";

/** Learns from a HAR 1.2 object in UTF-8. Throws `InvalidHarError` for any other text. */
export function buildPathTreeFromCapture(capture: Uint8Array): PathNode {
  const drafts = new ObservationCollector();
  for (const entry of readHarEntries(capture)) {
    const observation = observeHarEntry(entry);
    if (observation !== undefined) drafts.add(observation);
  }
  return drafts.node();
}
