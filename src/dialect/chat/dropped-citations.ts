import { asElements, asObject, type JsonObject } from "../json.ts";
import { listUnsupportedResponseCitationPaths } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function listDroppedResponseCitationPaths(body: JsonObject): readonly string[] {
  const choice = asObject(asElements(body["choices"])[0]);
  const annotations = asObject(choice?.["message"])?.["annotations"];
  return listUnsupportedResponseCitationPaths(
    annotations,
    "choices[0].message.annotations",
    "url_citation",
  );
}
