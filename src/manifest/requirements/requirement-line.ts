import type { ManifestDependency } from "../manifest.ts";
import { lineTooLong, maxLineLength } from "../document/long-lines.ts";
import type { LogicalLine } from "./logical-lines.ts";
import { parseRequirement, pinnedVersion } from "./pep508.ts";

/** What a line asks for: a package, nothing (an option), or why it names no package of the index. */
export type RequirementLine =
  | { readonly dependency: ManifestDependency }
  | { readonly reason: string }
  | "no_dependency";

const editable = /^(?:-e|--editable)=?(.*)$/s;
const include = /^(?:-r|--requirement|-c|--constraint)/;
const indexOption = /^(?:-i|--index-url|--pypi-url|--extra-index-url|-f|--find-links)\b/;
const knownOption =
  /^--?(?:no-index|no-binary|only-binary|prefer-binary|require-hashes|pre|trusted-host|use-feature|use-pep517|global-option|config-settings?|process-dependency-links|allow-\S+|install-option|always-unzip|Z)\b/;

/**
 * Classifies one line of a requirements.txt. Reasons: `line_too_long`, `include`, `index_option`,
 * `environment_variable`, `local`, `git`, `url`, `invalid_name`,
 * `invalid_specifier`, `invalid_line`.
 */
export function readRequirementLine(text: string): RequirementLine {
  if (text.length > maxLineLength) return { reason: lineTooLong };
  if (/\$\{[A-Z0-9_]+\}/.test(text)) return { reason: "environment_variable" };
  if (text.startsWith("-")) return readOption(text);
  const requirement = withoutOptions(text);
  const address = addressReason(requirement);
  return address === undefined ? readNamed(requirement) : { reason: address };
}

/** Whether pip would know the line for its own: for telling a requirements.txt from other text. */
export function namesRequirement({ text }: LogicalLine): boolean {
  if (text.startsWith("-")) {
    return [editable, include, indexOption, knownOption].some((option) => option.test(text));
  }
  const read = readRequirementLine(text);
  return read !== "no_dependency" && ("dependency" in read || /^(git|url)$/.test(read.reason));
}

function readOption(text: string): RequirementLine {
  const target = editable.exec(text)?.[1]?.trim();
  if (target !== undefined) return { reason: addressReason(target) ?? "local" };
  if (include.test(text)) return { reason: "include: that file was not sent" };
  if (indexOption.test(text)) return { reason: "index_option: names may come from elsewhere" };
  return "no_dependency";
}

/** Takes off what pip lets follow a requirement: `--hash=…`, `--config-settings=…`. */
function withoutOptions(text: string): string {
  const start = text.search(/\s--?[A-Za-z]/);
  return start === -1 ? text : text.slice(0, start).trim();
}

/** Why something that is no name leads past the index. */
function addressReason(text: string): string | undefined {
  if (/^git\+|^git:|^git@/i.test(text)) return "git";
  if (/^(?:hg|svn|bzr)\+/i.test(text)) return "url: another version control";
  if (/^file:/i.test(text)) return "local";
  if (/^https?:|^ftp:/i.test(text)) return "url";
  const isPath = /^(?:\.|\/|~|[A-Za-z]:[\\/])|^[^@;\s]*[\\/]/.test(text);
  return isPath || isArchive(text) ? "local" : undefined;
}

/** `name.whl`, also with extras behind it. */
function isArchive(text: string): boolean {
  const path = text.endsWith("]") ? text.slice(0, text.indexOf("[")) : text;
  return /^\S+\.(?:whl|zip|tar\.gz|tgz|tar\.bz2|tar\.xz)$/i.test(path);
}

function readNamed(text: string): RequirementLine {
  const parsed = parseRequirement(text);
  if (parsed === undefined) return { reason: "invalid_line" };
  if (parsed === "invalid") return { reason: "invalid_specifier" };
  if (parsed === "too long") return { reason: "invalid_specifier: it is too long" };
  if (parsed.name.length > 200) return { reason: "invalid_name" };
  if ("url" in parsed) return { reason: addressReason(parsed.url) ?? "url" };
  const { name, specifier } = parsed;
  const common = { ecosystem: "pypi" as const, name };
  const version = pinnedVersion(specifier);
  if (version !== undefined) return { dependency: { ...common, requested: specifier, version } };
  if (specifier === "") return { dependency: { ...common, requested: null } };
  return { dependency: { ...common, requested: specifier, constraint: "range" } };
}
