import { asArrayOrEmpty, asObject, type JsonObject } from "../json.ts";
import { listUntranslatableCitationPaths } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function listChatDroppedResponseCitationPaths(body: JsonObject): readonly string[] {
  const choice = asObject(asArrayOrEmpty(body["choices"])[0]);
  const annotations = asObject(choice?.["message"])?.["annotations"];
  return listUntranslatableCitationPaths(
    annotations,
    "choices[0].message.annotations",
    "url_citation",
  );
}
