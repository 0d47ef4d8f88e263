import { asArray, asObject, type JsonObject } from "../json.ts";
import { otherSources } from "../other-sources.ts";

/** Paths of the sources of a whole answer that are left out of the turn. */
export function lostSources(body: JsonObject): readonly string[] {
  const choice = asObject(asArray(body["choices"])[0]);
  const annotations = asObject(choice?.["message"])?.["annotations"];
  return otherSources(annotations, "choices[0].message.annotations", "url_citation");
}
