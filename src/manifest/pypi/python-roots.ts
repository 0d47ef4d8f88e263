import type { JsonObject } from "../../platform/json-value.ts";
import type { ReadSibling } from "../dependency-file.ts";
import type { GraphRoot } from "../dependency-graph.ts";
import { parseToml } from "../document/toml-document.ts";
import { normalizeProjectName } from "./project-name.ts";
import type { PythonEntry } from "./python-entries.ts";

/** What the manifest beside a lock file asks for, by name; undefined: there is none that can be read. */
export function pythonRoots(
  beside: ReadSibling,
  manifest: string,
  entriesOf: (document: JsonObject) => readonly PythonEntry[],
): GraphRoot[] | undefined {
  const text = beside(manifest);
  if (text === undefined) return undefined;
  try {
    return entriesOf(parseToml(text)).flatMap(({ name, group }) =>
      name === undefined || group === "build" ? [] : [{ key: normalizeProjectName(name), group }],
    );
  } catch {
    return undefined;
  }
}
