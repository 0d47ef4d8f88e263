import { declaredFile } from "../declared-file.ts";
import type { Beside, DependencyFile } from "../dependency-file.ts";
import { keyLines, tomlDocument } from "../document/toml-document.ts";
import { cargoEntries } from "./cargo-entries.ts";

/** Reads a Cargo.toml. A requirement is no exact version unless it begins with `=`. */
export function readCargoToml(text: string, beside: Beside): DependencyFile {
  const lineOfKey = keyLines(text);
  const entries = cargoEntries(tomlDocument(text), beside).map((entry) => {
    const { name, alias, group, requested, reason } = entry;
    const line = lineOfKey(alias);
    if (reason !== undefined) return { group, line, text: alias, reason };
    const [, version] = /^=\s*(\d+\.\d+\.\d\S*)$/.exec((requested ?? "").trim()) ?? [];
    return { group, line, name, requested, ...(version !== undefined && { version }) };
  });
  return declaredFile("cargo", entries);
}
