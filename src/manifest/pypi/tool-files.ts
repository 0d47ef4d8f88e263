import type { JsonObject } from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { parseToml } from "../document/toml-document.ts";
import { addRequirementLineNumbers } from "./pyproject.ts";
import type { PythonRequirementEntry } from "./python-entries.ts";
import { listPythonIndexHosts, reportIndexesWithUnknownHost } from "./python-indexes.ts";
import { readHatchEntries, readPixiEntries } from "./tool-entries.ts";

/** Reads a hatch.toml: what `[tool.hatch]` of a pyproject.toml has. */
export function parseHatchToml(text: string): DependencyFile {
  const hatch = parseToml(text);
  return toDependencyFile(text, { hatch }, readHatchEntries(hatch));
}

/** Reads a pixi.toml: what `[tool.pixi]` of a pyproject.toml has. Packages of conda are reported. */
export function parsePixiToml(text: string): DependencyFile {
  const pixi = parseToml(text);
  return toDependencyFile(text, { pixi }, readPixiEntries(pixi));
}

function toDependencyFile(
  text: string,
  tool: JsonObject,
  entries: readonly PythonRequirementEntry[],
): DependencyFile {
  const all = [...entries, ...reportIndexesWithUnknownHost(tool)];
  const located = addRequirementLineNumbers(text, all);
  return declaredEntriesToDependencyFile("pypi", located, listPythonIndexHosts({ tool }));
}
