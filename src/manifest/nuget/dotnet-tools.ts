import { asJsonObjectOrEmpty, asNonBlankString } from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { createJsonMemberLineLookup } from "../document/member-lines.ts";
import { buildNugetPackageEntry } from "./package-entry.ts";

/** Reads a dotnet-tools.json: the tools that `dotnet tool restore` installs from NuGet. */
export function parseDotnetToolsManifest(text: string): DependencyFile {
  return packagesOf(text, "tools", (value) => asJsonObjectOrEmpty(value)["version"]);
}

/** Reads a global.json: the versions of SDKs that projects name without one. */
export function readGlobalJson(text: string): DependencyFile {
  return packagesOf(text, "msbuild-sdks", (value) => value);
}

function packagesOf(
  text: string,
  member: string,
  versionOf: (value: unknown) => unknown,
): DependencyFile {
  const packages = Object.entries(asJsonObjectOrEmpty(parseJsonObject(text)[member]));
  const lineOf = createJsonMemberLineLookup(text);
  const entries = packages.map(([name, value]): DeclaredDependencyEntry => {
    const at = { group: "build", line: lineOf(member, name) };
    return buildNugetPackageEntry(name, asNonBlankString(versionOf(value)) ?? null, at);
  });
  return declaredEntriesToDependencyFile("nuget", entries);
}
