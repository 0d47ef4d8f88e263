import { invalidRequest } from "../platform/errors.ts";
import { readModelReference } from "./model-reference.ts";
import { findOwned, type Directories, type ResolvedModel } from "./owned-targets.ts";
import type { Warm } from "./ports.ts";
import { resolveAlias } from "./resolve-alias.ts";

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
  return reference.kind === "alias"
    ? resolveAlias(directories, accountId, reference.token)
    : findOwned(directories, accountId, reference);
}
