import { asArray, asObject, type JsonObject } from "../json.ts";
import { unsupportedCitations } from "../unsupported-citations.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function droppedCitations(body: JsonObject): readonly string[] {
  const choice = asObject(asArray(body["choices"])[0]);
  const annotations = asObject(choice?.["message"])?.["annotations"];
  return unsupportedCitations(annotations, "choices[0].message.annotations", "url_citation");
}
