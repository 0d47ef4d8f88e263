import { asJsonObjectOrEmpty, asNonBlankString } from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile } from "../declared-file.ts";
import type { SiblingFileReader, DependencyFile } from "../dependency-file.ts";
import { createTomlKeyLineLookup, parseToml } from "../document/toml-document.ts";
import {
  readCargoDependencyEntries,
  readCrateReplacements,
  readCargoWorkspacePatterns,
} from "./cargo-entries.ts";

/** Reads a Cargo.toml. A requirement is no exact version unless it begins with `=`. */
export function parseCargoToml(text: string, beside: SiblingFileReader): DependencyFile {
  const lineOfKey = createTomlKeyLineLookup(text);
  const document = parseToml(text);
  const needed = readCargoDependencyEntries(document, beside);
  const found = [...needed, ...readCrateReplacements(document)];
  const entries = found.map((entry) => {
    const { name, alias, group, requested, reason, address, hosts = [] } = entry;
    const line = lineOfKey(alias);
    if (reason !== undefined) {
      const from = address === undefined ? {} : { address };
      return { group, line, text: alias, reason, name, ...from };
    }
    const [, version] = /^=\s*(\d+\.\d+\.\d\S*)$/.exec((requested ?? "").trim()) ?? [];
    return { group, line, name, requested, hosts, ...(version !== undefined && { version }) };
  });
  // A lock file has the crates of folders as part of the project, whose manifests must be read then.
  const folders = needed.flatMap(({ folder }) => folder ?? []);
  const members = [...folders, ...readCargoWorkspacePatterns(document)];
  const registryPackages = found.flatMap(({ name, requested, hosts = [] }) =>
    hosts.map((registry) => ({ name, registry, requested: requested ?? "" })),
  );
  const ownName = asNonBlankString(asJsonObjectOrEmpty(document["package"])["name"]);
  const file = declaredEntriesToDependencyFile("cargo", entries);
  return { ...file, members, registryPackages, ...(ownName !== undefined && { ownName }) };
}
