import type { PackageVersionOrder } from "../ecosystem/version-order.ts";
import type { AffectedVersionRange } from "../facts.ts";

/** A bound of a range, as an advisory lists it. */
export interface AffectedRangeEvent {
  readonly kind: "fixed" | "introduced" | "last_affected";
  readonly version: string;
}

/** Order of events of one version: a range ends before the next begins, and a range of one version begins before it ends. */
const kinds: readonly AffectedRangeEvent["kind"][] = ["fixed", "introduced", "last_affected"];

/** Builds ranges of affected versions from the events of one range of an advisory. */
export function toAffectedVersionRanges(
  events: readonly AffectedRangeEvent[],
  { compare }: PackageVersionOrder,
): readonly AffectedVersionRange[] {
  const ranges: AffectedVersionRange[] = [];
  let introduced: string | undefined;
  for (const { kind, version } of events.toSorted(compareEvents)) {
    if (kind === "introduced") introduced ??= version;
    else if (introduced !== undefined) {
      const end = kind === "fixed" ? { fixed: version } : { lastAffected: version };
      ranges.push({ introduced, ...end });
      introduced = undefined;
    }
  }
  return introduced === undefined ? ranges : [...ranges, { introduced }];

  function compareEvents(left: AffectedRangeEvent, right: AffectedRangeEvent): number {
    // The version `0` is before all versions, also before pre-releases of 0.0.0.
    const isFirst = Number(right.version === "0") - Number(left.version === "0");
    return (
      isFirst ||
      compare(left.version, right.version) ||
      kinds.indexOf(left.kind) - kinds.indexOf(right.kind)
    );
  }
}
