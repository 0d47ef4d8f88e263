import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { ListedModel } from "../../platform/endpoint/model-list.ts";
import { readModelReference, type ResolvableReference } from "../routing/model-reference.ts";
import {
  plainEntry,
  modelUnavailableReason,
  toUnixSeconds,
  type ModelEntry,
  type ModelSources,
} from "./model-entry.ts";

/** A model at a linked vendor. */
export interface LinkedModel {
  readonly vendor: CallableVendor;
  readonly model: ListedModel;
}

/** What the linked vendors have, in link order. */
export async function listLinkedModels({
  vendors,
  modelsOf,
}: ModelSources): Promise<readonly LinkedModel[]> {
  const lists = await Promise.all(
    vendors.map(async (vendor) => (await modelsOf(vendor)).map((model) => ({ vendor, model }))),
  );
  return lists.flat();
}

/** Under the name of its vendor. */
export function vendorEntry(sources: ModelSources, offer: LinkedModel): ModelEntry {
  const { vendor, model } = offer;
  const reference = { kind: "vendor", vendor: vendor.id, model: model.id } as const;
  return offeredEntry(sources, offer, `${vendor.id}/${model.id}`, reference);
}

/** By its bare id a model is listed once, of the vendor that was linked first, where it is served. */
export function bareEntries(
  sources: ModelSources,
  offered: readonly LinkedModel[],
): readonly ModelEntry[] {
  const first = new Map(offered.toReversed().map((offer) => [offer.model.id, offer]));
  const sold = new Set(sources.catalog.map(({ id }) => id));
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
  { vendor, model: { name, created, contextWindow } }: LinkedModel,
  id: string,
  reference: ResolvableReference,
): ModelEntry {
  return {
    ...plainEntry(id),
    displayName: name ?? id,
    created: created ?? toUnixSeconds(vendor.linkedAt),
    ownedBy: vendor.id,
    lane: "byo",
    contextWindow,
    reason: modelUnavailableReason(sources, reference, [{ kind: "vendor", vendor }]),
  };
}
