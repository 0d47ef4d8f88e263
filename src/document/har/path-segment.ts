import { looksLikeIdentifier } from "../name/looks-like-name.ts";
import { inferTextValueShape } from "../shape/infer-text-shape.ts";
import { detectStringFormat } from "../shape/detect-format.ts";
import { jsonScalarTypeFlags } from "../shape/shape.ts";

/** What stands for values at one place of a path: their kind, which no constant is written like. */
const kinds = ["integer", "uuid", "date", "date-time", "string"] as const;

/** Kind of a path parameter's values. */
export type PathParameterValueKind = (typeof kinds)[number];

const versionPattern = /^v?\d{1,2}(?:\.\d{1,3}){0,2}$|^v\d{1,2}(?:alpha|beta|rc|preview)\d{0,2}$/i;
const datedVersion = /^(?:19|20)\d{2}-\d{2}-\d{2}$/;
const constantPattern = /^[A-Za-z0-9._~!$&'()*+,;=:-]*$/;

/** Longer segments are values. */
const maximumLength = 40;

/**
 * Whether a segment begins the part of a path that names things: the first, and
 * the one after `api` or a version. It is a parameter only when it has to be one.
 */
export function isFirstResourcePathSegment(before: readonly string[]): boolean {
  const previous = before.at(-1);
  return previous === undefined || /^api$/i.test(previous) || isVersionPathSegment(previous);
}

/** Whether a segment is a version: `v1`, `2.0`, `2010-04-01`. */
export function isVersionPathSegment(segment: string): boolean {
  return versionPattern.test(segment) || datedVersion.test(segment);
}

/**
 * The key that a segment is kept under: itself where it reads like a name, or is the
 * version of a whole interface; `{integer}` and its like for any value.
 */
export function toPathSegmentKey(segment: string, before: readonly string[]): string {
  const isConstant = segment === "" || isOpeningVersion(segment, before) || isConstantName(segment);
  return isConstant ? segment : `{${kindOf(segment)}}`;
}

/** A bare number is a version at the beginning and after `api` only, one like `1.0` anywhere. */
function isOpeningVersion(segment: string, before: readonly string[]): boolean {
  const previous = before.at(-1);
  const isFirst = previous === undefined || /^api$/i.test(previous);
  return (isFirst && isVersionPathSegment(segment)) || /^\d\.\d$/.test(segment);
}

function isConstantName(segment: string): boolean {
  return (
    segment.length <= maximumLength && constantPattern.test(segment) && looksLikeIdentifier(segment)
  );
}

function kindOf(segment: string): PathParameterValueKind {
  const { scalars } = inferTextValueShape(segment);
  if (scalars === jsonScalarTypeFlags.integer) return "integer";
  const format = detectStringFormat(segment);
  return kinds.find((kind) => kind === format) ?? "string";
}

/** The kind that a key stands for; undefined: the key is a constant. */
export function parsePathParameterKind(key: string): PathParameterValueKind | undefined {
  return kinds.find((kind) => key === `{${kind}}`);
}
