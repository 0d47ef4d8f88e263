import { readEntries } from "../har/har-entry.ts";
import { learnEntry } from "../har/observe-entry.ts";
import { ObservationDrafts } from "./node-of-observations.ts";
import type { PathNode } from "./path-node.ts";

/** What a HAR 1.2 object in UTF-8 teaches. Throws `CaptureError` for anything that is none. */
export function learnCapture(capture: Uint8Array): PathNode {
  const drafts = new ObservationDrafts();
  for (const entry of readEntries(capture)) {
    const observation = learnEntry(entry);
    if (observation !== undefined) drafts.add(observation);
  }
  return drafts.node();
}
