import { versionOrderByEcosystem } from "../../../src/depshealth/ecosystem/version-order.ts";
import type { Ecosystem } from "../../../src/depshealth/facts.ts";
import type { OsvAffected, OsvRange } from "./database-record.ts";

/** The versions that an advisory names: one by one, and where its ranges begin and end. */
export function versionsNamed({ versions = [], ranges = [] }: OsvAffected): readonly string[] {
  const events = ranges.filter(isOfVersions).flatMap(({ events: listed }) => listed);
  const bounds = events.flatMap(({ introduced, fixed, last_affected: last }) =>
    [introduced, fixed, last].filter((it) => it !== undefined),
  );
  return [...versions, ...bounds];
}

/** Whether an advisory hits a version (ossf.github.io/osv-schema, "Evaluation"). */
export function hits(ecosystem: Ecosystem, affected: OsvAffected, version: string): boolean {
  const { key } = versionOrderByEcosystem[ecosystem];
  const isListed = affected.versions?.some((it) => key(it) === key(version)) === true;
  const ranges = affected.ranges?.filter(isOfVersions) ?? [];
  return isListed || ranges.some((range) => isWithin(ecosystem, range, version));
}

function isOfVersions({ type }: OsvRange): boolean {
  return type !== "GIT";
}

/** The last event at or below the version decides; where several are at one version, the end does. */
function isWithin(ecosystem: Ecosystem, { events }: OsvRange, version: string): boolean {
  const { compare } = versionOrderByEcosystem[ecosystem];
  const reached = (bound: string) => bound === "0" || compare(bound, version) <= 0;
  const introduced = events.flatMap((event) => event.introduced ?? []).filter(reached);
  const fixed = events.flatMap((event) => event.fixed ?? []).filter(reached);
  const passed = events
    .flatMap((event) => event.last_affected ?? [])
    .filter((bound) => compare(bound, version) < 0);
  return introduced.some((begin) =>
    [...fixed, ...passed].every((end) => begin !== "0" && compare(end, begin) < 0),
  );
}
