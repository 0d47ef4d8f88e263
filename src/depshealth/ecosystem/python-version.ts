import { parse } from "@renovatebot/pep440";
import { recordToMap } from "../../platform/lookup-table.ts";

/** A version of Python's packages, read for comparison (PEP 440). */
export interface ComparablePep440Version {
  readonly text: string;
  readonly isStable: boolean;
  /** Undefined if the text is not a version by these rules. */
  readonly epoch: number | undefined;
  readonly release: readonly number[];
  /** Numbers that compare one by one after the release. */
  readonly rank: readonly number[];
  readonly local: string | null;
}

const letters = recordToMap<number>({ a: 0, b: 1, rc: 2 });
const [first, last] = [-Infinity, Infinity];

/** Calls `parse` of the library, because `explain` formats texts that nothing here needs. */
export function parsePythonVersionLeniently(text: string): ComparablePep440Version {
  const parts = parse(text);
  if (parts === null) {
    return { text, isStable: false, epoch: undefined, release: [], rank: [], local: null };
  }
  const { epoch, local } = parts;
  const [pre, post, dev]: readonly [Segment, Segment, Segment] = [parts.pre, parts.post, parts.dev];
  return {
    text,
    isStable: pre === null && dev === null,
    epoch,
    release: withoutZeros(parts.release),
    rank: [...preRank(pre, post, dev), numberOf(post) ?? first, numberOf(dev) ?? last],
    // The library returns a list of its parts, although its types say a text.
    local: local === null ? null : [local].flat().join("."),
  };
}

/** What is no version by today's rules is older than all that are. */
export function comparePep440Versions(
  left: ComparablePep440Version,
  right: ComparablePep440Version,
): number {
  if (left.epoch === undefined || right.epoch === undefined) {
    const isVersion = Number(left.epoch !== undefined) - Number(right.epoch !== undefined);
    return isVersion || compareTexts(left.text, right.text);
  }
  return (
    left.epoch - right.epoch ||
    compareLists(left.release, right.release) ||
    compareLists(left.rank, right.rank) ||
    compareTexts(left.local ?? "", right.local ?? "")
  );
}

/** Equal for two spellings of one version. */
export function toPythonVersionKey(text: string): string {
  const { epoch, release, rank, local } = parsePythonVersionLeniently(text);
  if (epoch === undefined) return text.trim().toLowerCase();
  return `${release.join(".")} ${epoch} ${rank.join(" ")} ${local ?? ""}`;
}

/** A word and its number. */
type Segment = readonly (string | number)[] | null;

/** Development releases of a final release come before its pre-releases. */
function preRank(pre: Segment, post: Segment, dev: Segment): readonly [number, number] {
  if (pre !== null) return [letters.get(String(pre[0])) ?? 2, Number(pre[1])];
  return post === null && dev !== null ? [first, 0] : [last, 0];
}

function numberOf(segment: Segment): number | undefined {
  return segment === null ? undefined : Number(segment[1]);
}

function withoutZeros(release: readonly number[]): readonly number[] {
  const end = release.findLastIndex((part) => part !== 0);
  return release.slice(0, end + 1);
}

/** Compares one by one; a list that ends continues with zeros. */
function compareLists(left: readonly number[], right: readonly number[]): number {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [one, other] = [left[index] ?? 0, right[index] ?? 0];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
