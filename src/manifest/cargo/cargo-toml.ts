import { declaredFile } from "../declared-file.ts";
import type { ReadSibling, DependencyFile } from "../dependency-file.ts";
import { findKeyLines, parseToml } from "../document/toml-document.ts";
import { cargoEntries, replacedCrates, workspaceMembers } from "./cargo-entries.ts";

/** Reads a Cargo.toml. A requirement is no exact version unless it begins with `=`. */
export function readCargoToml(text: string, beside: ReadSibling): DependencyFile {
  const lineOfKey = findKeyLines(text);
  const document = parseToml(text);
  const needed = cargoEntries(document, beside);
  const found = [...needed, ...replacedCrates(document)];
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
  const members = [...folders, ...workspaceMembers(document)];
  const registryPackages = found.flatMap(({ name, requested, hosts = [] }) =>
    hosts.map((registry) => ({ name, registry, requested: requested ?? "" })),
  );
  return { ...declaredFile("cargo", entries), members, registryPackages };
}
