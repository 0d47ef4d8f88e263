import { isRepositoryLinkOutdated } from "./ages.ts";
import type { MaintenanceVerdictInput, VerdictReason } from "./verdict.ts";

/** Rule 6: RustSec has tried to reach the maintainers and says that nobody maintains it. */
export function findRustsecUnmaintainedReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  const notice = known.notices.find(({ kind }) => kind === "unmaintained");
  if (notice === undefined) return undefined;
  const summary = textAfter(notice.summary);
  return {
    code: "rustsec_unmaintained",
    message: `${notice.id} says that ${known.name} is unmaintained${summary}.`,
  };
}

/** Rule 7: each of its stable versions belongs to a cycle that has ended by its date. */
export function findProductEolReason({
  info: known,
  support,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (support?.allEnded !== true) return undefined;
  return {
    code: "product_eol",
    message: `Every release cycle of ${support.label} that ${known.name} has versions of is past its end of life.`,
  };
}

/** Rule 7, qualifier: the assessed version's cycle has ended, or the dataset gives no date. */
export function findCycleEolReason({
  support,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  const cycle = support?.endedCycle;
  if (support === undefined || cycle === undefined || support.allEnded) return undefined;
  const when = cycle.endedOn === null ? "has ended" : `ended on ${cycle.endedOn}`;
  return { code: "cycle_eol", message: `Support of ${support.label} ${cycle.name} ${when}.` };
}

/** Rule 8: the maintainers' word where no registry carries it. */
export function findCuratedDeprecationReason({
  curated,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (curated?.kind !== "deprecated") return undefined;
  return { code: "curated", message: `${curated.statement} (${curated.source})` };
}

/** Rule 8, qualifier: worth knowing, no verdict. */
export function findCuratedNoteReason({
  curated,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (curated?.kind !== "note") return undefined;
  return { code: "curated_note", message: `${curated.statement} (${curated.source})` };
}

/** Rule 9: the repository, or the project in its registry, is read-only. */
export function findRepositoryArchivedReason(
  it: MaintenanceVerdictInput,
): VerdictReason | undefined {
  const { status: mark, name, repository } = it.info;
  if (mark?.kind === "archived") {
    const message = `${name} is archived in its registry${textAfter(mark.message)}.`;
    return { code: "repository_archived", message };
  }
  if (repository?.archived !== true || isRepositoryLinkOutdated(it)) return undefined;
  return { code: "repository_archived", message: `The repository ${repository.url} is archived.` };
}

/** Rule 9, qualifier: releases are made somewhere else. */
export function findRepositoryLinkSuspectReason(
  it: MaintenanceVerdictInput,
): VerdictReason | undefined {
  const { repository, name } = it.info;
  if (repository === null || !isRepositoryLinkOutdated(it)) return undefined;
  return {
    code: "repository_link_suspect",
    message: `${repository.url} is archived, but ${name} was released long after the last push there: it may have moved.`,
  };
}

/** Words of others after a colon, in a sentence that has a full stop of its own. */
function textAfter(words: string | null): string {
  return words === null ? "" : `: ${words.trim().replace(/\.$/, "")}`;
}
