import { asElements, asObject, type JsonObject } from "../json.ts";
import { listUnsupportedResponseCitationPaths } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function listDroppedResponseCitationPaths(body: JsonObject): readonly string[] {
  return asElements(body["output"]).flatMap((item, index) =>
    asElements(asObject(item)?.["content"]).flatMap((part, place) => {
      const path = `output[${index}].content[${place}].annotations`;
      return listUnsupportedResponseCitationPaths(
        asObject(part)?.["annotations"],
        path,
        "url_citation",
      );
    }),
  );
}
