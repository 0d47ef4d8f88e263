import { invalidRequest } from "../platform/errors.ts";
import { readModelReference, type ModelReference } from "./model-reference.ts";
import type { OwnTarget } from "./plan.ts";
import type { UpstreamDirectory, VendorDirectory, Warm } from "./ports.ts";
import { whenWarm } from "./warm.ts";

/** Where the account's own endpoints and credentials are looked up. */
export interface Directories {
  readonly upstreams: UpstreamDirectory;
  readonly vendors: VendorDirectory;
  /** Whether a vendor's configured list holds the model; for bare ids. */
  readonly servesModel: (vendorId: string, model: string) => boolean;
}

/** What a model id names, and what of the account's own serves it. */
export interface ResolvedModel {
  readonly reference: ModelReference;
  readonly owned: readonly OwnTarget[];
}

/** Looks up what a model id names; synchronous when warm. Throws 400 for an id of no known form. */
export function resolveModel(
  directories: Directories,
  accountId: string,
  id: string,
): Warm<ResolvedModel> {
  const reference = readModelReference(id, (segment) => directories.vendors.has(segment));
  if (reference === undefined) {
    throw invalidRequest("model", "A custom model is named `custom/<slug>/<id>`.");
  }
  return whenWarm(findOwned(directories, accountId, reference), (owned) => ({ reference, owned }));
}

function findOwned(
  { upstreams, vendors, servesModel }: Directories,
  accountId: string,
  reference: ModelReference,
): Warm<readonly OwnTarget[]> {
  switch (reference.kind) {
    case "custom":
      return whenWarm(upstreams.find(accountId, reference.slug), (endpoint) =>
        endpoint === undefined ? [] : [{ kind: "custom", endpoint }],
      );
    case "vendor":
      return whenWarm(vendors.find(accountId, reference.vendor), (vendor) =>
        vendor === undefined ? [] : [{ kind: "vendor", vendor }],
      );
    case "bare":
      return whenWarm(vendors.linked(accountId), (linked) =>
        linked
          .filter(({ id }) => servesModel(id, reference.model))
          .map((vendor) => ({ kind: "vendor", vendor })),
      );
    default:
      return [];
  }
}
