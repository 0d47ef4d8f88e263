import { elementPath } from "../../dialect/body-reader.ts";
import { asArray, asObject } from "../../dialect/json.ts";
import { invalidRequest } from "../../platform/errors.ts";
import { readCallBody, type CallBody } from "../call/read-call-body.ts";
import { withMembers } from "../call/with-members.ts";
import { parseBody } from "../transcode/prepare-transcode.ts";
import { openedItem, sealedIn } from "./sealed-items.ts";
import { sealMark, type SummarySeal } from "./summary-seal.ts";

/**
 * A responses body with user messages in the place of the summaries that were sealed here;
 * one that has none is not even read. Throws 400 with the item as `param` for a summary
 * of another account, and a broken one.
 */
export function withOpenSummaries(seal: SummarySeal, accountId: string, body: CallBody): CallBody {
  if (!body.bytes.includes(sealMark)) return body;
  const sent = asArray(parseBody(body.bytes)["input"]);
  const input = openedItems(seal, accountId, sent);
  const isUnchanged = input.every((value, index) => value === sent[index]);
  return isUnchanged ? body : readCallBody(withMembers(body.bytes, { input }));
}

/** The items of an input, summaries opened. Throws 400 as `withOpenSummaries` does. */
export function openedItems(
  seal: SummarySeal,
  accountId: string,
  items: readonly unknown[],
): readonly unknown[] {
  return items.map((value, index) => {
    const sealed = sealedIn(asObject(value));
    if (sealed === undefined) return value;
    return openedItem(seal, accountId, sealed) ?? refuseSummary(elementPath("input", index));
  });
}

function refuseSummary(path: string): never {
  throw invalidRequest(
    path,
    "This compaction is broken or was made for another account. Send the whole conversation in its place.",
  );
}
