import type { JsonObject } from "../../platform/json-value.ts";
import type { Beside } from "../dependency-file.ts";
import type { GraphRoot } from "../dependency-graph.ts";
import { tomlDocument } from "../document/toml-document.ts";
import { projectName } from "./project-name.ts";
import type { PythonEntry } from "./python-entries.ts";

/** What the manifest beside a lock file asks for, by name; undefined: there is none that can be read. */
export function pythonRoots(
  beside: Beside,
  manifest: string,
  entriesOf: (document: JsonObject) => readonly PythonEntry[],
): GraphRoot[] | undefined {
  const text = beside(manifest);
  if (text === undefined) return undefined;
  try {
    return entriesOf(tomlDocument(text)).flatMap(({ name, group }) =>
      name === undefined || group === "build" ? [] : [{ key: projectName(name), group }],
    );
  } catch {
    return undefined;
  }
}
