import { arrayElementPath } from "./body-reader.ts";
import { asArrayOrEmpty, asObject } from "./json.ts";

/**
 * Paths of the citations in a list that are of another kind than `carried`, the
 * one with an address: no other dialect has a word for them.
 */
export function listUntranslatableCitationPaths(
  list: unknown,
  path: string,
  carried: string,
): readonly string[] {
  return asArrayOrEmpty(list).flatMap((citation, index) =>
    asObject(citation)?.["type"] === carried ? [] : [arrayElementPath(path, index)],
  );
}
