import { asArrayOrEmpty, asObject, type JsonObject } from "../json.ts";
import { listUntranslatableCitationPaths } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function listMessagesDroppedResponseCitationPaths(body: JsonObject): readonly string[] {
  return asArrayOrEmpty(body["content"]).flatMap((block, index) => {
    const citations = asObject(block)?.["citations"];
    return listUntranslatableCitationPaths(
      citations,
      `content[${index}].citations`,
      "web_search_result_location",
    );
  });
}
