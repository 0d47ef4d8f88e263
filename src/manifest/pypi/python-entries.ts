import { asRecord, asText } from "../../platform/json-value.ts";
import type { VersionConstraint } from "../manifest.ts";
import { readRequirementLine } from "../requirements/requirement-line.ts";
import { poetrySpecifier } from "./poetry-specifier.ts";

/** A requirement of a Python project, or why it names no package of the index. */
export type PythonEntry = { readonly group: string; readonly text: string } & (
  | {
      readonly name: string;
      readonly requested: string | null;
      readonly version?: string;
      readonly constraint?: VersionConstraint;
    }
  | { readonly name?: string; readonly reason: string }
);

/** Reads a requirement as PEP 508 has it. */
export function readRequirement(text: string, group: string): PythonEntry {
  const read = readRequirementLine(text);
  if (read === "no_dependency") return { group, text, reason: "invalid_line" };
  return "dependency" in read ? { group, text, ...read.dependency } : { group, text, ...read };
}

/** Reads a member of a table of Poetry or Pipenv: a version, or a table that may lead past the index. */
export function readTableEntry(name: string, value: unknown, group: string): PythonEntry {
  const table = asRecord(Array.isArray(value) ? value[0] : value);
  const specifier = asText(value) ?? asText(table["version"]) ?? "*";
  const text = `${name} = ${JSON.stringify(value)}`;
  const reason = tableReason(table);
  if (reason !== undefined) return { group, text, name, reason };
  const requirement = poetrySpecifier(specifier);
  if (requirement === undefined) return { group, text, name, requested: specifier };
  return { ...readRequirement(`${name}${requirement}`, group), text };
}

function tableReason(table: Readonly<Record<string, unknown>>): string | undefined {
  if (table["git"] !== undefined) return "git";
  if (table["path"] !== undefined || table["file"] !== undefined) return "local";
  if (table["workspace"] === true) return "local";
  return table["url"] === undefined ? undefined : "url";
}
