import { invalidRequest } from "../platform/errors.ts";
import { readModelReference, type ModelReference } from "./model-reference.ts";
import type { OwnTarget } from "./plan.ts";
import type {
  AliasDirectory,
  AliasTarget,
  UpstreamDirectory,
  VendorDirectory,
  Warm,
} from "./ports.ts";
import { whenWarm } from "./warm.ts";

/** Where the account's own endpoints, credentials and aliases are looked up. */
export interface Directories {
  readonly upstreams: UpstreamDirectory;
  readonly vendors: VendorDirectory;
  readonly aliases: AliasDirectory;
  /** Whether a vendor's configured list holds the model; for bare ids. */
  readonly servesModel: (vendorId: string, model: string) => boolean;
}

/** What a model id names, and what of the account's own serves it. */
export interface ResolvedModel {
  /** Aliases are resolved: it is what they stand for. */
  readonly reference: NamedReference;
  readonly owned: readonly OwnTarget[];
}

/** A reference that names what it means. */
export type NamedReference = Exclude<ModelReference, { kind: "alias" }>;

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
  if (reference.kind !== "alias") return findOwned(directories, accountId, reference);
  const { token } = reference;
  return whenWarm(directories.aliases.find(accountId, token), (target) =>
    resolveAlias(directories, accountId, token, target),
  );
}

function resolveAlias(
  directories: Directories,
  accountId: string,
  token: string,
  target: AliasTarget | undefined,
): Warm<ResolvedModel> {
  if (target === undefined) {
    throw invalidRequest(
      "model",
      `There is no alias \`@${token}\`; GET /v1/aliases lists those that there are.`,
    );
  }
  const found = findOwned(directories, accountId, referenceOf(target, target.modelId ?? ""));
  if (target.modelId !== undefined) return found;
  return whenWarm(found, (resolved) => withFirstModel(token, target, resolved));
}

/** An alias without a model means the first that its vendor or endpoint has. */
function withFirstModel(
  token: string,
  target: AliasTarget,
  { owned }: ResolvedModel,
): ResolvedModel {
  const [first] = owned;
  const models = first?.kind === "custom" ? first.endpoint.models : first?.vendor.models;
  const model = models?.[0];
  // Without a credential the refusal is about that, whatever the model.
  if (model === undefined && first !== undefined) {
    throw invalidRequest(
      "model",
      `The alias \`@${token}\` names no model and \`${target.vendor}\` lists none; set its \`model_id\`.`,
    );
  }
  return { reference: referenceOf(target, model ?? ""), owned };
}

function referenceOf({ vendor }: AliasTarget, model: string): NamedReference {
  return vendor.startsWith("custom/")
    ? { kind: "custom", slug: vendor.slice("custom/".length), model }
    : { kind: "vendor", vendor, model };
}

function findOwned(
  directories: Directories,
  accountId: string,
  reference: NamedReference,
): Warm<ResolvedModel> {
  const owned = ownedTargets(directories, accountId, reference);
  return whenWarm(owned, (targets) => ({ reference, owned: targets }));
}

function ownedTargets(
  { upstreams, vendors, servesModel }: Directories,
  accountId: string,
  reference: NamedReference,
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
    case "agent":
      return [];
  }
}
