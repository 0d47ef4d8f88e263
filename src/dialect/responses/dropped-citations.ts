import { asArrayOrEmpty, asObject, type JsonObject } from "../json.ts";
import { listUntranslatableCitationPaths } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function listResponsesDroppedResponseCitationPaths(body: JsonObject): readonly string[] {
  return asArrayOrEmpty(body["output"]).flatMap((item, index) =>
    asArrayOrEmpty(asObject(item)?.["content"]).flatMap((part, place) => {
      const path = `output[${index}].content[${place}].annotations`;
      return listUntranslatableCitationPaths(asObject(part)?.["annotations"], path, "url_citation");
    }),
  );
}
