import { explain } from "@renovatebot/pep440";
import { createLookupTable } from "../../platform/lookup-table.ts";

/** A version of Python's packages, read for comparison (PEP 440). */
export interface ComparablePythonVersion {
  readonly text: string;
  readonly isStable: boolean;
  /** Numbers that compare one by one; undefined: no version by these rules. */
  readonly rank: readonly number[] | undefined;
  readonly release: readonly number[];
  readonly local: string | null;
}

const letters = createLookupTable<number>({ a: 0, b: 1, rc: 2 });
const [first, last] = [-Infinity, Infinity];

export function parsePythonVersionLeniently(text: string): ComparablePythonVersion {
  const parts = explain(text);
  if (parts === null) {
    return { text, isStable: false, rank: undefined, release: [], local: null };
  }
  const { epoch, pre, post, dev, local } = parts;
  return {
    text,
    isStable: !parts.is_prerelease,
    rank: [epoch, ...preRank(pre, post, dev), numberOf(post) ?? first, numberOf(dev) ?? last],
    release: withoutZeros(parts.release),
    local,
  };
}

/** What is no version by today's rules is older than all that are. */
export function comparePythonVersions(
  left: ComparablePythonVersion,
  right: ComparablePythonVersion,
): number {
  if (left.rank === undefined || right.rank === undefined) {
    const isVersion = Number(left.rank !== undefined) - Number(right.rank !== undefined);
    return isVersion || compare(left.text, right.text);
  }
  return (
    compare(left.rank[0], right.rank[0]) ||
    compareLists(left.release, right.release) ||
    compareLists(left.rank.slice(1), right.rank.slice(1)) ||
    compare(left.local ?? "", right.local ?? "")
  );
}

/** Equal for two spellings of one version. */
export function toPythonVersionKey(text: string): string {
  const { rank, release, local } = parsePythonVersionLeniently(text);
  if (rank === undefined) return text.trim().toLowerCase();
  return `${release.join(".")} ${rank.join(" ")} ${local ?? ""}`;
}

/** A word and a number, or the number alone. */
type Segment = readonly (string | number)[] | number | null | undefined;

/** Development releases of a final release come before its pre-releases. */
function preRank(pre: Segment, post: Segment, dev: Segment): readonly [number, number] {
  const [letter, number] = typeof pre === "object" ? (pre ?? []) : [];
  if (letter !== undefined) return [letters.get(String(letter)) ?? 2, Number(number)];
  const isDevelopment = numberOf(post) === undefined && numberOf(dev) !== undefined;
  return isDevelopment ? [first, 0] : [last, 0];
}

function numberOf(segment: Segment): number | undefined {
  const number = typeof segment === "object" ? segment?.[1] : segment;
  return number === undefined ? undefined : Number(number);
}

function withoutZeros(release: readonly number[]): readonly number[] {
  const end = release.findLastIndex((part) => part !== 0);
  return release.slice(0, end + 1);
}

function compareLists(left: readonly number[], right: readonly number[]): number {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const result = compare(left[index] ?? 0, right[index] ?? 0);
    if (result !== 0) return result;
  }
  return 0;
}

function compare<Value extends string | number>(left = 0 as Value, right = 0 as Value): number {
  return left < right ? -1 : Number(left > right);
}
