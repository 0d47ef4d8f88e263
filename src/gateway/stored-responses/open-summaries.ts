import { arrayElementPath } from "../../dialect/body-reader.ts";
import { asArrayOrEmpty, asObject } from "../../dialect/json.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { withParsedCallBody } from "../call/parse-call-body.ts";
import { scanCallBody, type CallRequestBody } from "../call/read-call-body.ts";
import { replaceJsonMembers } from "../call/replace-members.ts";
import { openSealedConversationSummary, readSealedConversationSummary } from "./sealed-items.ts";
import { summarySealPrefix, type SummarySealer } from "./summary-seal.ts";

/**
 * A responses body with user messages in the place of the summaries that were sealed here;
 * one that has none is not even read. Throws 400 with the item as `param` for a summary
 * of another account, and a broken one, and what `hold` throws for the parsed body.
 */
export function openSealedSummariesInBody(
  seal: SummarySealer,
  accountId: string,
  body: CallRequestBody,
  hold: MemoryReserver,
): CallRequestBody {
  const { bytes } = body;
  if (!bytes.includes(summarySealPrefix)) return body;
  return withParsedCallBody(bytes, hold, ({ input: said }) => {
    const sent = asArrayOrEmpty(said);
    const input = openSealedSummariesInInput(seal, accountId, sent);
    const isUnchanged = input.every((value, index) => value === sent[index]);
    return isUnchanged ? body : scanCallBody(replaceJsonMembers(bytes, { input }));
  });
}

/** The items of an input, summaries opened. Throws 400 as `openSealedSummariesInBody` does. */
export function openSealedSummariesInInput(
  seal: SummarySealer,
  accountId: string,
  items: readonly unknown[],
): readonly unknown[] {
  return items.map((value, index) => {
    const sealed = readSealedConversationSummary(asObject(value));
    if (sealed === undefined) return value;
    return (
      openSealedConversationSummary(seal, accountId, sealed) ??
      rejectSummary(arrayElementPath("input", index))
    );
  });
}

function rejectSummary(path: string): never {
  throw invalidRequestError(
    path,
    "This compaction is broken or was made for another account. Send the whole conversation in its place.",
  );
}
