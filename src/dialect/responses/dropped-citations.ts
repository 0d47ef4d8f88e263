import { asArray, asObject, type JsonObject } from "../json.ts";
import { unsupportedCitations } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function droppedCitations(body: JsonObject): readonly string[] {
  return asArray(body["output"]).flatMap((item, index) =>
    asArray(asObject(item)?.["content"]).flatMap((part, place) => {
      const path = `output[${index}].content[${place}].annotations`;
      return unsupportedCitations(asObject(part)?.["annotations"], path, "url_citation");
    }),
  );
}
