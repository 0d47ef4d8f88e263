import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { StoredConversationItems } from "../../dialect/codec.ts";
import { maxJsonValues } from "../../dialect/value-limit.ts";
import { StoredJsonParseBudget } from "../../platform/stored-json-budget.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import type { StoredResponses } from "./stored-responses.ts";
import { openSealedSummaryInItem, dropSummarizedItems } from "./sealed-items.ts";
import type { SummarySealer } from "./summary-seal.ts";

/** What a body refers to that an earlier call left behind. */
export interface StoredReferences {
  readonly previousId: string | undefined;
  readonly itemIds: readonly string[];
}

/** The id of the kept item that an item of the input stands for; undefined: it says all itself. */
export type ItemReferenceIdReader = (item: JsonObject | undefined) => string | undefined;

/** More than a long conversation has items. */
const maxReferences = 4000;

/**
 * Returns the references of a responses body, or undefined if it has none. Throws 400 for an item
 * that is referred to twice, and for too many.
 */
export function findStoredReferences(
  body: JsonObject,
  idOf: ItemReferenceIdReader = readItemReferenceId,
): StoredReferences | undefined {
  const previousId = asString(body["previous_response_id"]);
  const itemIds = new Set<string>();
  for (const [index, item] of asArrayOrEmpty(body["input"]).entries()) {
    const id = idOf(asObject(item));
    if (id === undefined) continue;
    if (itemIds.has(id)) {
      throw invalidRequestError(
        `input[${index}].id`,
        `\`${id}\` is referred to twice. Send it once.`,
      );
    }
    if (itemIds.size === maxReferences) {
      throw invalidRequestError(
        `input[${index}].id`,
        `A call may refer to ${maxReferences} stored items. Send further items whole, or use \`previous_response_id\`.`,
      );
    }
    itemIds.add(id);
  }
  if (previousId === undefined && itemIds.size === 0) return undefined;
  return { previousId, itemIds: [...itemIds] };
}

/** Where kept items are, and what opens the summaries among them. */
export interface StoredItemDependencies {
  readonly storedResponses: StoredResponses;
  readonly summaries: SummarySealer;
}

/** Looks up what a body refers to; the codec refuses what is not there. `hold` counts its memory. Rejects with 413 for too much. */
export async function loadReferencedItems(
  { storedResponses, summaries }: StoredItemDependencies,
  accountId: string,
  { previousId, itemIds }: StoredReferences,
  hold: MemoryReserver,
): Promise<StoredConversationItems> {
  const budget = new StoredJsonParseBudget(hold, maxJsonValues);
  const [previous, items] = await Promise.all([
    previousId === undefined
      ? undefined
      : storedResponses.conversation(accountId, previousId, budget),
    itemIds.length === 0 ? undefined : storedResponses.items(accountId, itemIds, budget),
  ]);
  const opened = (item: JsonObject) => openSealedSummaryInItem(summaries, accountId, item);
  return {
    previous: previous && dropSummarizedItems(previous).map(opened),
    find(id) {
      const item = items?.get(id);
      return item && opened(item);
    },
  };
}

/** The items that a turn adds to its conversation: references are kept as what they refer to. */
export function resolveInputItems(
  body: JsonObject,
  kept: StoredConversationItems | undefined,
  idOf: ItemReferenceIdReader = readItemReferenceId,
): readonly JsonObject[] {
  const { input } = body;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return asArrayOrEmpty(input).flatMap((value) => resolvedItem(asObject(value), kept, idOf));
}

function resolvedItem(
  item: JsonObject | undefined,
  kept: StoredConversationItems | undefined,
  idOf: ItemReferenceIdReader,
): readonly JsonObject[] {
  const id = idOf(item);
  const resolved = id === undefined ? item : kept?.find(id);
  return resolved === undefined ? [] : [resolved];
}

/** A reference may leave its type out: it has an id and nothing else to say. */
export function readItemReferenceId(item: JsonObject | undefined): string | undefined {
  const type = item?.["type"] ?? undefined;
  const isBare = type === undefined && item?.["role"] === undefined;
  return type === "item_reference" || isBare ? asString(item?.["id"]) : undefined;
}
