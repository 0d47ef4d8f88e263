import {
  compactionTriggerType,
  formatConversationSummaryMessage,
} from "../../dialect/compaction.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import { isSealedSummary, type SummarySealer } from "./summary-seal.ts";

/** A kept item that is a summary as what it stands for; all others as they are. */
export function openSealedSummaryInItem(
  seal: SummarySealer,
  accountId: string,
  item: JsonObject,
): JsonObject {
  const sealed = readSealedConversationSummary(item);
  return (
    (sealed === undefined ? undefined : openSealedConversationSummary(seal, accountId, sealed)) ??
    item
  );
}

/**
 * What is left of a kept conversation: the summary that its last trigger led to stands for
 * all before the trigger but the system text, which no summary replaces.
 */
export function dropSummarizedItems(items: readonly JsonObject[]): readonly JsonObject[] {
  const last = items.findLastIndex(({ type }) => type === compactionTriggerType);
  const behind = items.slice(last + 1);
  const summary = behind.find((item) => readSealedConversationSummary(item) !== undefined);
  if (last === -1 || summary === undefined) return items;
  const others = behind.filter((item) => item !== summary);
  return [...items.slice(0, last).filter(isSystem), summary, ...others];
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

/** What is sealed in an item; undefined: nothing that claims to be of this installation. */
export function readSealedConversationSummary(item: JsonObject | undefined): string | undefined {
  const content = asString(item?.["encrypted_content"]);
  return content !== undefined && isSealedSummary(content) ? content : undefined;
}

/** The user message that a summary stands for; undefined: it does not open for the account. */
export function openSealedConversationSummary(
  seal: SummarySealer,
  accountId: string,
  sealed: string,
): JsonObject | undefined {
  const summary = seal.open(accountId, sealed);
  if (summary === undefined) return undefined;
  const content = [{ type: "input_text", text: formatConversationSummaryMessage(summary) }];
  return { type: "message", role: "user", content };
}
