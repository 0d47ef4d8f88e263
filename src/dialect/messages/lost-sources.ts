import { asArray, asObject, type JsonObject } from "../json.ts";
import { otherSources } from "../other-sources.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function lostSources(body: JsonObject): readonly string[] {
  return asArray(body["content"]).flatMap((block, index) => {
    const citations = asObject(block)?.["citations"];
    return otherSources(citations, `content[${index}].citations`, "web_search_result_location");
  });
}
