import {
  mergeAdvisories,
  selectStandingAdvisories,
} from "../../../src/depshealth/source/merge-advisories.ts";
import { maxAdvisoryIds } from "../../../src/depshealth/source/osv.ts";
import { readRecord, type DatabaseRecord, type OsvAffected } from "./database-record.ts";
import { hits, versionsNamed } from "./affected-versions.ts";
import type { Database } from "./read-databases.ts";

/** What became of a database's advisories in our answers. */
export interface FoldReport {
  readonly database: string;
  readonly advisories: number;
  readonly packages: number;
  /** Pairs of a package and a version that were tried. */
  readonly versions: number;
  /** Pairs of a version and an advisory that hits it. */
  readonly hits: number;
  /** `name@version id`: listed for the version, and not in our answer. */
  readonly lost: readonly string[];
}

/** Asks for every version that the database names, and looks for every id in what is answered. */
export async function foldDatabase(database: Database): Promise<FoldReport> {
  const byName = Map.groupBy(await entriesOf(database), ({ name }) => name);
  const report = { versions: 0, hits: 0, lost: [] as string[] };
  for (const [name, entries] of byName) {
    for (const version of new Set(entries.flatMap(({ affected }) => versionsNamed(affected)))) {
      if (version === "0") continue;
      const hitting = entries.filter((it) => hits(database.ecosystem, it.affected, version));
      report.versions += 1;
      report.hits += hitting.length;
      report.lost.push(...lostIds(database, name, version, hitting));
    }
  }
  const { documents, name } = database;
  return { database: name, advisories: documents.length, packages: byName.size, ...report };
}

interface Entry extends DatabaseRecord {
  readonly name: string;
  readonly affected: OsvAffected;
}

/** Those that stand: what was withdrawn is no advisory. */
async function entriesOf({ documents, filedAs }: Database): Promise<readonly Entry[]> {
  const standing = documents.filter(({ withdrawn }) => withdrawn === undefined);
  const records = await Promise.all(standing.map(readRecord));
  return records.flatMap((it) =>
    (it.document.affected ?? []).flatMap((affected) =>
      affected.package?.ecosystem === filedAs
        ? [{ ...it, affected, name: affected.package.name }]
        : [],
    ),
  );
}

function lostIds(
  { ecosystem, filedAs }: Database,
  name: string,
  version: string,
  hitting: readonly Entry[],
): readonly string[] {
  const records = [...new Set(hitting.map(({ record }) => record))].slice(0, maxAdvisoryIds);
  const folded = mergeAdvisories(selectStandingAdvisories(records, Date.now()), {
    ecosystem,
    name,
    version,
    filedAs,
  });
  const told = new Set([
    ...folded.advisories.flatMap(({ id, aliases }) => [id, ...aliases]),
    ...folded.notices.map(({ id }) => id),
  ]);
  const ids = hitting.map(({ document }) => document.id);
  return [...new Set(ids)].filter((id) => !told.has(id)).map((id) => `${name}@${version} ${id}`);
}
