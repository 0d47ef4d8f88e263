import { elementPath } from "../../dialect/body-reader.ts";
import { asArray, asObject } from "../../dialect/json.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { HoldMemory } from "../../platform/hold-memory.ts";
import { readParsedBody } from "../call/parse-call-body.ts";
import { readCallBody, type CallBody } from "../call/read-call-body.ts";
import { replaceMembers } from "../call/replace-members.ts";
import { openSummaryItem, readSealedSummary } from "./sealed-items.ts";
import { summarySealPrefix, type SummarySeal } from "./summary-seal.ts";

/**
 * A responses body with user messages in the place of the summaries that were sealed here;
 * one that has none is not even read. Throws 400 with the item as `param` for a summary
 * of another account, and a broken one, and what `hold` throws for the parsed body.
 */
export function openSummaries(
  seal: SummarySeal,
  accountId: string,
  body: CallBody,
  hold: HoldMemory,
): CallBody {
  const { bytes } = body;
  if (!bytes.includes(summarySealPrefix)) return body;
  return readParsedBody(bytes, hold, ({ input: said }) => {
    const sent = asArray(said);
    const input = openItems(seal, accountId, sent);
    const isUnchanged = input.every((value, index) => value === sent[index]);
    return isUnchanged ? body : readCallBody(replaceMembers(bytes, { input }));
  });
}

/** The items of an input, summaries opened. Throws 400 as `openSummaries` does. */
export function openItems(
  seal: SummarySeal,
  accountId: string,
  items: readonly unknown[],
): readonly unknown[] {
  return items.map((value, index) => {
    const sealed = readSealedSummary(asObject(value));
    if (sealed === undefined) return value;
    return openSummaryItem(seal, accountId, sealed) ?? rejectSummary(elementPath("input", index));
  });
}

function rejectSummary(path: string): never {
  throw invalidRequestError(
    path,
    "This compaction is broken or was made for another account. Send the whole conversation in its place.",
  );
}
