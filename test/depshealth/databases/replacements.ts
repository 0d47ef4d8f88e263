import { parseAdvisoryAlternatives } from "../../../src/depshealth/source/parse-alternatives.ts";
import { unmaintainedCrates } from "../source/unmaintained-crates.ts";
import type { OsvDocument } from "./database-record.ts";

/** What our reading of the live notices names, beside what people read in them. */
export interface SuccessorReport {
  readonly notices: number;
  readonly right: number;
  /** Named by neither. */
  readonly none: number;
  /** In the notice, and not named by us. */
  readonly missed: readonly string[];
  /** Named by us, and not what the notice means. */
  readonly wrong: readonly string[];
  /** Notices that nobody has read yet. */
  readonly unread: readonly string[];
}

/**
 * Reads every notice that says that a crate is unmaintained and was not withdrawn.
 * Of what it names the first is taken that is known to be a crate: a registry is
 * not asked here, so a name counts that the database has advisories on, or that
 * people have read as a successor.
 */
export function readSuccessors(documents: readonly OsvDocument[]): SuccessorReport {
  const expected = new Map(unmaintainedCrates.map(({ id, successor }) => [id, successor]));
  const crates = new Set([
    ...unmaintainedCrates.flatMap(({ successor }) => successor ?? []),
    ...documents.map(nameOf),
  ]);
  const rows = documents.filter(isUnmaintained).map((document) => {
    const { id, summary = "", details = "" } = document;
    const offered = parseAdvisoryAlternatives(summary, details, "cargo", nameOf(document));
    const found = offered.find((name) => crates.has(name)) ?? null;
    const said = `${id} ${nameOf(document)}: ${found}, read by people as ${expected.get(id)}`;
    return { id, found, said, meant: expected.get(id) };
  });
  const read = rows.filter(({ meant }) => meant !== undefined);
  return {
    notices: rows.length,
    right: read.filter(({ found, meant }) => found !== null && found === meant).length,
    none: read.filter(({ found, meant }) => found === null && meant === null).length,
    missed: read
      .filter(({ found, meant }) => found === null && meant !== null)
      .map(({ said }) => said),
    wrong: read
      .filter(({ found, meant }) => found !== null && found !== meant)
      .map(({ said }) => said),
    unread: rows.filter(({ meant }) => meant === undefined).map(({ said }) => said),
  };
}

function nameOf({ affected }: OsvDocument): string {
  return affected?.[0]?.package?.name ?? "";
}

function isUnmaintained({ withdrawn, affected }: OsvDocument): boolean {
  const informational = affected?.[0]?.database_specific?.["informational"];
  return withdrawn === undefined && informational === "unmaintained";
}
