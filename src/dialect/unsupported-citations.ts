import { elementPath } from "./body-reader.ts";
import { asElements, asObject } from "./json.ts";

/**
 * Paths of the citations in a list that are of another kind than `carried`, the
 * one with an address: no other dialect has a word for them.
 */
export function listUnsupportedResponseCitationPaths(
  list: unknown,
  path: string,
  carried: string,
): readonly string[] {
  return asElements(list).flatMap((citation, index) =>
    asObject(citation)?.["type"] === carried ? [] : [elementPath(path, index)],
  );
}
