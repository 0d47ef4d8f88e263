import { asArray, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { KeptItems } from "../../dialect/codec.ts";
import type { KeptTurns } from "./kept-turns.ts";
import { openKeptItem, withoutSummedUp } from "./sealed-items.ts";
import type { SummarySeal } from "./summary-seal.ts";

/** What a body refers to that an earlier call left behind. */
export interface KeptReferences {
  readonly previousId: string | undefined;
  readonly itemIds: readonly string[];
}

/** The id of the kept item that an item of the input stands for; undefined: it says all itself. */
export type ReferredId = (item: JsonObject | undefined) => string | undefined;

/** The references of a responses body; undefined: it stands alone. */
export function keptReferences(
  body: JsonObject,
  idOf: ReferredId = referredId,
): KeptReferences | undefined {
  const previousId = asString(body["previous_response_id"]);
  const itemIds = asArray(body["input"]).flatMap((item) => idOf(asObject(item)) ?? []);
  return previousId === undefined && itemIds.length === 0 ? undefined : { previousId, itemIds };
}

/** Where kept items are, and what opens the summaries among them. */
export interface KeptSource {
  readonly turns: KeptTurns;
  readonly summaries: SummarySeal;
}

/** Looks up what a body refers to; the codec refuses what is not there. */
export async function loadKept(
  { turns, summaries }: KeptSource,
  accountId: string,
  { previousId, itemIds }: KeptReferences,
): Promise<KeptItems> {
  const [previous, items] = await Promise.all([
    previousId === undefined ? undefined : turns.conversation(accountId, previousId),
    itemIds.length === 0 ? undefined : turns.items(accountId, itemIds),
  ]);
  const opened = (item: JsonObject) => openKeptItem(summaries, accountId, item);
  return {
    previous: previous && withoutSummedUp(previous).map(opened),
    find(id) {
      const item = items?.get(id);
      return item && opened(item);
    },
  };
}

/** The items that a turn adds to its conversation: references are kept as what they refer to. */
export function ownItems(
  body: JsonObject,
  kept: KeptItems | undefined,
  idOf: ReferredId = referredId,
): readonly JsonObject[] {
  const { input } = body;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return asArray(input).flatMap((value) => resolvedItem(asObject(value), kept, idOf));
}

function resolvedItem(
  item: JsonObject | undefined,
  kept: KeptItems | undefined,
  idOf: ReferredId,
): readonly JsonObject[] {
  const id = idOf(item);
  const resolved = id === undefined ? item : kept?.find(id);
  return resolved === undefined ? [] : [resolved];
}

/** A reference may leave its type out: it has an id and nothing else to say. */
export function referredId(item: JsonObject | undefined): string | undefined {
  const type = item?.["type"] ?? undefined;
  const isBare = type === undefined && item?.["role"] === undefined;
  return type === "item_reference" || isBare ? asString(item?.["id"]) : undefined;
}
