import type { ManifestDependency } from "../manifest.ts";
import { lineTooLongReason, maxManifestLineLength } from "../document/long-lines.ts";
import type { LogicalLine } from "./logical-lines.ts";
import { parsePep508Requirement, findPinnedPep440Version } from "./pep508.ts";

/** A file that a line has pip read (`-r`), or take versions from (`-c`). */
export interface IncludedRequirementsFile {
  /** From the folder of the file that includes it. */
  readonly path: string;
  readonly isConstraint: boolean;
}

/** What a line asks for: a package, nothing (an option), or why it names no package of the index. */
export type RequirementLineClassification =
  | { readonly dependency: ManifestDependency }
  | { readonly reason: string; readonly include?: IncludedRequirementsFile }
  | "no_dependency";

const editable = /^(?:-e|--editable)=?(.*)$/s;
const include = /^(?:-r|--requirement|-c|--constraint)/;
/** One path without quotes; an equals sign behind a short option is part of the path. */
const includedPath =
  /^(?:-([rc])[ \t]*|--(requirement|constraint)(?:=|[ \t]+))([^\s"'\\/:][^\s"'\\:]*)$/;
const indexOption =
  /^(?:-i|-f|--(?:index-url|pypi-url|extra-index-url|find-links|no-index|trusted-host)(?![\w-]))/;

/** Options that install nothing and change no address, by whether a value follows. */
const harmlessOptions: ReadonlyMap<string, boolean> = new Map([
  ["--pre", false],
  ["--prefer-binary", false],
  ["--require-hashes", false],
  ["--no-binary", true],
  ["--only-binary", true],
  ["--use-feature", true],
  ["--hash", true],
]);

/**
 * Classifies one line of a requirements.txt. Reasons: `line_too_long`, `include`, `index_option`,
 * `unknown_option`, `environment_variable`, `local`, `git`, `url`, `invalid_name`,
 * `invalid_specifier`, `invalid_line`.
 */
export function classifyRequirementLine(text: string): RequirementLineClassification {
  if (text.length > maxManifestLineLength) return { reason: lineTooLongReason };
  if (/\$\{[A-Z0-9_]+\}/.test(text)) return { reason: "environment_variable" };
  if (text.startsWith("-")) return readOption(text);
  const requirement = withoutOptions(text);
  const address = addressReason(requirement);
  return address === undefined ? readNamed(requirement) : { reason: address };
}

/** Returns whether a line has pip take pre-releases of all packages. Behind a requirement the option has no effect. */
export function isPrereleaseOption(text: string): boolean {
  if (text.length > maxManifestLineLength || !text.startsWith("-")) return false;
  return !editable.test(text) && !include.test(text) && /(?:^|[ \t])--pre(?![^ \t])/.test(text);
}

/** Whether pip would know the line for its own: for telling a requirements.txt from other text. */
export function isRequirementsTxtLine({ text }: LogicalLine): boolean {
  const read = classifyRequirementLine(text);
  if (text.startsWith("-")) return read === "no_dependency" || !isUnknown(read);
  return read !== "no_dependency" && ("dependency" in read || /^(git|url)$/.test(read.reason));
}

function isUnknown(read: Exclude<RequirementLineClassification, "no_dependency">): boolean {
  return "reason" in read && read.reason.startsWith("unknown_option");
}

/** Whatever pip may understand in another way than this, an abbreviation for instance, is unknown. */
function readOption(text: string): RequirementLineClassification {
  const target = editable.exec(text)?.[1]?.trim();
  if (target !== undefined) return { reason: addressReason(target) ?? "local" };
  if (include.test(text)) return readInclude(text);
  if (indexOption.test(text)) return { reason: "index_option: names may come from elsewhere" };
  if (areHarmless(text.split(/[ \t]+/))) return "no_dependency";
  return { reason: "unknown_option: it may install something" };
}

/** A path that is absolute, an address, quoted or followed by more is not one to read here. */
function readInclude(text: string): RequirementLineClassification {
  const reason = "include: that file was not sent";
  const [, short, long, path] = includedPath.exec(text) ?? [];
  if (path === undefined) return { reason };
  return { reason, include: { path, isConstraint: short === "c" || long === "constraint" } };
}

function areHarmless(words: readonly string[]): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const [, option = "", value] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(words[at] ?? "") ?? [];
    const takesValue = harmlessOptions.get(option);
    if (takesValue === undefined || (value !== undefined && !takesValue)) return false;
    if (takesValue && value === undefined) at += 1;
    if (takesValue && !/^[^-"'\\][^"'\\]*$/.test(value ?? words[at] ?? "")) return false;
  }
  return true;
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

/** `name.whl`, also with extras or a marker behind it: pip takes it for a file, whatever stands before. */
function isArchive(text: string): boolean {
  const requirement = (text.split(";", 1)[0] ?? "").trim();
  const path = requirement.endsWith("]")
    ? requirement.slice(0, requirement.indexOf("["))
    : requirement;
  return !path.includes("@") && archive.test(path.trim());
}

const archive = /\.(?:whl|zip|tgz|tbz|txz|tlz|tar(?:\.(?:gz|bz2|xz|lz|lzma))?)$/i;

function readNamed(text: string): RequirementLineClassification {
  const parsed = parsePep508Requirement(text);
  if (parsed === undefined) return { reason: "invalid_line" };
  if (parsed === "invalid") return { reason: "invalid_specifier" };
  if (parsed === "too long") return { reason: "invalid_specifier: it is too long" };
  if (parsed.name.length > 200) return { reason: "invalid_name" };
  if ("url" in parsed) return { reason: addressReason(parsed.url) ?? "url" };
  const { name, specifier } = parsed;
  const common = { ecosystem: "pypi" as const, name };
  const version = findPinnedPep440Version(specifier);
  if (version !== undefined) return { dependency: { ...common, requested: specifier, version } };
  if (specifier === "") return { dependency: { ...common, requested: null } };
  return { dependency: { ...common, requested: specifier, constraint: "range" } };
}
