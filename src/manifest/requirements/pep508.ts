import { validRange } from "@renovatebot/pep440";

/** A requirement by name, as PEP 508 has it. */
export interface Pep508NamedRequirement {
  readonly name: string;
  /** Version clauses verbatim, without the brackets they may stand in; empty: any version. */
  readonly specifier: string;
}

/** A requirement that says where it is fetched from (`name @ address`). */
export interface Pep508UrlRequirement {
  readonly name: string;
  readonly url: string;
}

const nameAndExtras =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[A-Za-z0-9._,\s-]*\])?\s*/;
const clause = /^(~=|===|==|!=|<=|>=|<|>)\s*([^\s,;()]+)$/;

/**
 * Parses a requirement without its marker's meaning: whatever follows `;` only has to
 * be there. Undefined for what is none; a specifier that PEP 440 does not know is
 * `invalid`, and one of more than 500 characters or 20 clauses is `too long`.
 */
export function parsePep508Requirement(
  text: string,
): Pep508NamedRequirement | Pep508UrlRequirement | "invalid" | "too long" | undefined {
  const [whole = "", name = ""] = nameAndExtras.exec(text) ?? [];
  if (name === "") return undefined;
  const rest = text.slice(whole.length);
  const url = rest.startsWith("@") ? (rest.slice(1).trim().split(/\s/, 1)[0] ?? "") : "";
  if (url !== "") return { name, url };
  const beforeMarker = rest.split(";", 1)[0]?.trim() ?? "";
  const specifier = /^\((.*)\)$/.exec(beforeMarker)?.[1]?.trim() ?? beforeMarker;
  if (specifier === "") return { name, specifier };
  if (!/^[~=!<>]/.test(specifier)) return undefined;
  if (isTooLong(specifier)) return "too long";
  return isSpecifier(specifier) ? { name, specifier } : "invalid";
}

/** Limits of a specifier: each of its clauses is tried on each version of the package. */
const maxSpecifierLength = 500;
const maxClauses = 20;

function isTooLong(specifier: string): boolean {
  return specifier.length > maxSpecifierLength || specifier.split(",").length > maxClauses;
}

function isSpecifier(specifier: string): boolean {
  const clauses = specifier.split(",").map((part) => part.trim());
  // A comma at the end is allowed.
  if (clauses.at(-1) === "") clauses.pop();
  return clauses.length > 0 && clauses.every(isClause);
}

/** No version is longer; the library's expressions take long for long text. */
const maxClauseLength = 200;

function isClause(text: string): boolean {
  if (text.length > maxClauseLength) return false;
  const [, operator = "", version = ""] = clause.exec(text) ?? [];
  if (operator === "===") return version !== "";
  return operator !== "" && validRange(`${operator}${version}`);
}

/** The version that a specifier pins, if it pins one: `==1.0`, `===1.0`. */
export function findPinnedPep440Version(specifier: string): string | undefined {
  const [, operator = "", version = ""] = clause.exec(specifier.replace(/,\s*$/, "")) ?? [];
  if (operator === "===") return version;
  return operator === "==" && !version.endsWith(".*") ? version : undefined;
}
