import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { UpstreamListedModel } from "../../platform/endpoint/model-list.ts";
import { parseModelReference, type DirectModelReference } from "../routing/model-reference.ts";
import {
  buildModelEntryDefaults,
  getModelUnavailableError,
  millisecondsToUnixSeconds,
  type GatewayModelEntry,
  type ModelListSources,
} from "./model-entry.ts";

/** A model at a linked vendor. */
export interface LinkedVendorModel {
  readonly vendor: CallableVendor;
  readonly model: UpstreamListedModel;
}

/** What the linked vendors have, in link order. */
export async function listLinkedModels({
  vendors,
  modelsOf,
}: ModelListSources): Promise<readonly LinkedVendorModel[]> {
  const lists = await Promise.all(
    vendors.map(async (vendor) => (await modelsOf(vendor)).map((model) => ({ vendor, model }))),
  );
  return lists.flat();
}

/** Under the name of its vendor. */
export function buildVendorModelEntry(
  sources: ModelListSources,
  offer: LinkedVendorModel,
): GatewayModelEntry {
  const { vendor, model } = offer;
  const reference = { kind: "vendor", vendor: vendor.id, model: model.id } as const;
  return offeredEntry(sources, offer, `${vendor.id}/${model.id}`, reference);
}

/** By its bare id a model is listed once, of the vendor that was linked first, where it is served. */
export function buildBareIdModelEntries(
  sources: ModelListSources,
  offered: readonly LinkedVendorModel[],
): readonly GatewayModelEntry[] {
  const first = new Map(offered.toReversed().map((offer) => [offer.model.id, offer]));
  const sold = new Set(sources.catalog.map(({ id }) => id));
  return offered
    .filter((offer) => first.get(offer.model.id) === offer && !sold.has(offer.model.id))
    .flatMap((offer) => {
      const { id } = offer.model;
      const reference = parseModelReference(id, sources.isVendor);
      return reference?.kind === "bare" ? [offeredEntry(sources, offer, id, reference)] : [];
    })
    .filter(({ reason }) => reason === undefined);
}

function offeredEntry(
  sources: ModelListSources,
  { vendor, model: { name, created, contextWindow } }: LinkedVendorModel,
  id: string,
  reference: DirectModelReference,
): GatewayModelEntry {
  return {
    ...buildModelEntryDefaults(id),
    displayName: name ?? id,
    created: created ?? millisecondsToUnixSeconds(vendor.linkedAt),
    ownedBy: vendor.id,
    lane: "byo",
    contextWindow,
    reason: getModelUnavailableError(sources, reference, [{ kind: "vendor", vendor }]),
  };
}
