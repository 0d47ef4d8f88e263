import type { GradleCode } from "./gradle-code.ts";
import { findGradleStringLiterals, resolveGradleValue } from "./gradle-values.ts";

/** Group, artifact and version of a package as a build writes them; null: it names no version. */
export interface GradleCoordinates {
  readonly group: string;
  readonly artifact: string;
  readonly version: string | null;
}

/** Coordinates in the texts of code. */
export interface GradleCoordinatesSearchResult {
  readonly coordinates: readonly GradleCoordinates[];
  /** Whether the program computes some of them. */
  readonly isComputed: boolean;
}

/** Finds each `'group:artifact:version:classifier@type'`. */
export function findGradleCoordinates(code: GradleCode): GradleCoordinatesSearchResult {
  const found = findGradleStringLiterals(code).map(({ text, isComputed }) => ({
    isComputed,
    found: parse(text),
  }));
  const coordinates = found.flatMap((each) => (each.isComputed ? [] : (each.found ?? [])));
  const isComputed = found.some((each) => each.isComputed) || hasComputedBranch(code);
  return { coordinates, isComputed };
}

function parse(text: string): GradleCoordinates | undefined {
  const [, group, artifact, version] =
    /^([\w.${}-]+):([\w.${}-]+)(?::([^:@]*)(?::[^]*)?)?(?:@\w+)?$/.exec(text) ?? [];
  if (group === undefined || artifact === undefined) return undefined;
  return { group, artifact, version: version === undefined || version === "" ? null : version };
}

/** Whether a branch of a condition is no text, no library and no part of the project. */
function hasComputedBranch({ code, plain }: GradleCode): boolean {
  const marks = /\?(?!\.)/.test(plain) ? /\?(?!\.):?|:/g : /(?<!\w)else(?!\w)/g;
  const found = [...plain.matchAll(marks)];
  if (found.length === 0) return false;
  let from = 0;
  return [...found, undefined].some((mark) => {
    const to = mark?.index ?? plain.length;
    const branch = { code: code.slice(from, to), plain: plain.slice(from, to) };
    from = to + (mark?.[0].length ?? 0);
    return mark?.[0] !== "?" && !isKnownBranch(branch);
  });
}

function isKnownBranch({ code, plain }: GradleCode): boolean {
  return (
    /(?<!\w)(?:libs|projects?|files?|fileTree)(?!\w)/.test(plain) ||
    findGradleStringLiterals({ code, plain }).some(({ text }) => parse(text) !== undefined)
  );
}

/**
 * Finds `group: 'g', name: 'a', version: 'v'`, also with `=`, of each map of a call. Undefined
 * stands for a map with a value that is computed.
 */
export function findNamedGradleCoordinates(
  { code, plain }: GradleCode,
  variables: ReadonlyMap<string, string>,
): readonly (GradleCoordinates | undefined)[] {
  const found: (GradleCoordinates | undefined)[] = [];
  let from = 0;
  for (const { index: to } of [...plain.matchAll(/\]\s*,\s*\[/g), { index: plain.length }]) {
    const map = { code: code.slice(from, to), plain: plain.slice(from, to) };
    if (/\bgroup\s{0,20}[:=](?!=)/.test(map.plain)) found.push(coordinatesOf(map, variables));
    from = to;
  }
  return found;
}

function coordinatesOf(
  map: GradleCode,
  variables: ReadonlyMap<string, string>,
): GradleCoordinates | undefined {
  const values = new Map<string, string | undefined>();
  for (const { 0: start, 1: word = "", index } of map.plain.matchAll(
    /\b(group|name|version)\s{0,20}[:=](?!=)/g,
  )) {
    const from = index + start.length;
    const [value = ""] = /^[^,)\]]*/.exec(map.plain.slice(from)) ?? [];
    const expression = { code: map.code.slice(from, from + value.length), plain: value };
    values.set(word, value.trim() === "null" ? "" : resolveGradleValue(expression, variables));
  }
  const group = values.get("group");
  const artifact = values.get("name");
  const version = values.has("version") ? values.get("version") : "";
  if (group === undefined || artifact === undefined || version === undefined) return undefined;
  return { group, artifact, version: version === "" ? null : version };
}
