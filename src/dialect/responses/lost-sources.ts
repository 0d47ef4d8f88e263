import { asArray, asObject, type JsonObject } from "../json.ts";
import { otherSources } from "../other-sources.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function lostSources(body: JsonObject): readonly string[] {
  return asArray(body["output"]).flatMap((item, index) =>
    asArray(asObject(item)?.["content"]).flatMap((part, place) => {
      const path = `output[${index}].content[${place}].annotations`;
      return otherSources(asObject(part)?.["annotations"], path, "url_citation");
    }),
  );
}
