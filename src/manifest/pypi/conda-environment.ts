import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asNonBlankStrings,
} from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import {
  DependencyFileSyntaxError,
  type ManifestParseBudget,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import { parseYamlDocuments, type YamlDocument } from "../document/yaml-document.ts";
import { mergeDependencyFiles } from "../join-files.ts";
import {
  parseRequirementsFile,
  assignRequirementsToReferenceLine,
  type RequirementsFileReferrerLocation,
} from "./requirements-file.ts";

/** Reads an environment of conda: its requirements of pip. Packages of conda are in no registry that is asked. */
export function parseCondaEnvironment(
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  return mergeDependencyFiles(
    parseYamlDocuments(text).map((document) => readDocument(document, beside, budget)),
  );
}

function readDocument(
  { value, lines }: YamlDocument,
  beside: SiblingFileReader,
  budget: ManifestParseBudget | undefined,
): DependencyFile {
  const place = { group: "production", line: lines().get("dependencies") };
  const { dependencies = "" } = value;
  if (!Array.isArray(dependencies) && dependencies !== "") {
    throw new DependencyFileSyntaxError(
      "invalid_yaml: its dependencies are not a list",
      place.line,
    );
  }
  const items = asArrayOrEmpty(dependencies);
  const requirements = items.flatMap((item) => asNonBlankStrings(asJsonObjectOrEmpty(item)["pip"]));
  return mergeDependencyFiles([
    assignRequirementsToReferenceLine(
      parseRequirementsFile(requirements.join("\n"), beside, budget),
      place,
    ),
    declaredEntriesToDependencyFile(
      "pypi",
      items.flatMap((item) => unassessed(item, place)),
    ),
  ]);
}

/** An item that is no list of requirements. */
function unassessed(
  item: unknown,
  place: RequirementsFileReferrerLocation,
): DeclaredDependencyEntry[] {
  if (typeof item === "string") {
    return [{ ...place, text: item, reason: "conda: packages of conda are not assessed" }];
  }
  const others = Object.entries(asJsonObjectOrEmpty(item)).filter(
    ([name, list]) =>
      name !== "pip" || !Array.isArray(list) || asNonBlankStrings(list).length < list.length,
  );
  if (others.length === 0 && Object.keys(asJsonObjectOrEmpty(item)).length > 0) return [];
  return [{ ...place, text: others.map(([name]) => name).join(" "), reason: "invalid_line" }];
}
