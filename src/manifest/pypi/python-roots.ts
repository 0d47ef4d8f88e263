import type { JsonObject } from "../../platform/json-value.ts";
import type { SiblingFileReader } from "../dependency-file.ts";
import type { DependencyGraphRoot } from "../dependency-graph.ts";
import { parseToml } from "../document/toml-document.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import type { PythonRequirementEntry } from "./python-entries.ts";

/** What the manifest beside a lock file asks for, by name; undefined: there is none that can be read. */
export function readAdjacentPythonManifest(
  beside: SiblingFileReader,
  manifest: string,
  entriesOf: (document: JsonObject) => readonly PythonRequirementEntry[],
): DependencyGraphRoot[] | undefined {
  const text = beside(manifest);
  if (text === undefined) return undefined;
  try {
    return entriesOf(parseToml(text)).flatMap(({ name, group }) =>
      name === undefined || group === "build"
        ? []
        : [{ key: normalizePypiProjectName(name), group }],
    );
  } catch {
    return undefined;
  }
}
