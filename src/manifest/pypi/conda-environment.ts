import { asList, asRecord, asTexts } from "../../platform/json-value.ts";
import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import { UnreadableTextError, type ReadSibling, type DependencyFile } from "../dependency-file.ts";
import { parseYamlDocuments, type YamlDocument } from "../document/yaml-document.ts";
import { joinFiles } from "../join-files.ts";
import { readRequirementsFile, withPlace, type RequirementPlace } from "./requirements-file.ts";

/** Reads an environment of conda: its requirements of pip. Packages of conda are in no registry that is asked. */
export function readCondaEnvironment(text: string, beside: ReadSibling): DependencyFile {
  return joinFiles(parseYamlDocuments(text).map((document) => readDocument(document, beside)));
}

function readDocument({ value, lines }: YamlDocument, beside: ReadSibling): DependencyFile {
  const place = { group: "production", line: lines().get("dependencies") };
  const { dependencies = "" } = value;
  if (!Array.isArray(dependencies) && dependencies !== "") {
    throw new UnreadableTextError("invalid_yaml: its dependencies are not a list", place.line);
  }
  const items = asList(dependencies);
  const requirements = items.flatMap((item) => asTexts(asRecord(item)["pip"]));
  return joinFiles([
    withPlace(readRequirementsFile(requirements.join("\n"), beside), place),
    declaredFile(
      "pypi",
      items.flatMap((item) => unassessed(item, place)),
    ),
  ]);
}

/** An item that is no list of requirements. */
function unassessed(item: unknown, place: RequirementPlace): DeclaredEntry[] {
  if (typeof item === "string") {
    return [{ ...place, text: item, reason: "conda: packages of conda are not assessed" }];
  }
  const others = Object.entries(asRecord(item)).filter(
    ([name, list]) => name !== "pip" || !Array.isArray(list) || asTexts(list).length < list.length,
  );
  if (others.length === 0 && Object.keys(asRecord(item)).length > 0) return [];
  return [{ ...place, text: others.map(([name]) => name).join(" "), reason: "invalid_line" }];
}
