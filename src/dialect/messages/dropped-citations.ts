import { asArray, asObject, type JsonObject } from "../json.ts";
import { unsupportedCitations } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function droppedCitations(body: JsonObject): readonly string[] {
  return asArray(body["content"]).flatMap((block, index) => {
    const citations = asObject(block)?.["citations"];
    return unsupportedCitations(
      citations,
      `content[${index}].citations`,
      "web_search_result_location",
    );
  });
}
