import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { ListedModel } from "../../platform/endpoint/model-list.ts";
import { readModelReference, type NamedReference } from "../routing/model-reference.ts";
import {
  plainEntry,
  modelRefusal,
  secondsOf,
  type ModelEntry,
  type ModelSources,
} from "./model-entry.ts";

/** A model at a linked vendor. */
export interface OfferedModel {
  readonly vendor: CallableVendor;
  readonly model: ListedModel;
}

/** What the linked vendors have, in link order. */
export async function offeredModels({
  vendors,
  modelsOf,
}: ModelSources): Promise<readonly OfferedModel[]> {
  const lists = await Promise.all(
    vendors.map(async (vendor) => (await modelsOf(vendor)).map((model) => ({ vendor, model }))),
  );
  return lists.flat();
}

/** Under the name of its vendor. */
export function vendorEntry(sources: ModelSources, offer: OfferedModel): ModelEntry {
  const { vendor, model } = offer;
  const reference = { kind: "vendor", vendor: vendor.id, model: model.id } as const;
  return offeredEntry(sources, offer, `${vendor.id}/${model.id}`, reference);
}

/** By its bare id a model is listed once, of the vendor that was linked first, where it is served. */
export function bareEntries(
  sources: ModelSources,
  offered: readonly OfferedModel[],
): readonly ModelEntry[] {
  const first = new Map(offered.toReversed().map((offer) => [offer.model.id, offer]));
  const sold = new Set(sources.catalogue.map(({ id }) => id));
  return offered
    .filter((offer) => first.get(offer.model.id) === offer && !sold.has(offer.model.id))
    .flatMap((offer) => {
      const { id } = offer.model;
      const reference = readModelReference(id, sources.isVendor);
      return reference?.kind === "bare" ? [offeredEntry(sources, offer, id, reference)] : [];
    })
    .filter(({ reason }) => reason === undefined);
}

function offeredEntry(
  sources: ModelSources,
  { vendor, model: { name, created, contextWindow } }: OfferedModel,
  id: string,
  reference: NamedReference,
): ModelEntry {
  return {
    ...plainEntry(id),
    displayName: name ?? id,
    created: created ?? secondsOf(vendor.linkedAt),
    ownedBy: vendor.id,
    lane: "byo",
    contextWindow,
    reason: modelRefusal(sources, reference, [{ kind: "vendor", vendor }]),
  };
}
