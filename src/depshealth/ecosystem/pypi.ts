import { recordToMap } from "../../platform/lookup-table.ts";
import type { RegistryPackageStatus, PackageVersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import { pypiProjectParser, type PypiProject } from "./pypi-project.ts";
import { pypiSimpleIndexParser, type PypiSimpleIndex } from "./pypi-simple.ts";
import { pypiAdvisoryRecordsParser } from "./pypi-vulnerabilities.ts";
import {
  createEmptyPackageRegistryResult,
  type RegistryAdvisories,
  type PackageRegistry,
  type PackageRegistryResult,
} from "./registry.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

const maxDocumentBytes = 32 * 1024 * 1024;

/**
 * PyPI: the project's JSON has releases, links and owners; the simple index has
 * the status that its owners or the registry gave it, and every file.
 */
export class PypiRegistry implements PackageRegistry {
  readonly ecosystem = "pypi";
  readonly order = versionOrderByEcosystem.pypi;
  readonly #client: DataSourceClient;
  readonly #derived: WeakMemo;

  constructor(client: DataSourceClient, derived: WeakMemo) {
    this.#client = client;
    this.#derived = derived;
  }

  canonicalName(name: string): string | undefined {
    const isName = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(name) && name.length <= 200;
    return isName ? name.toLowerCase().replaceAll(/[-_.]+/g, "-") : undefined;
  }

  async read(name: string): Promise<PackageRegistryResult> {
    const [project, index] = await Promise.all([
      this.#client.get({
        path: `${joinUrlPathSegments("pypi", name)}/json`,
        result: "pypi.project.5",
        read: pypiProjectParser,
        maxBytes: maxDocumentBytes,
        timeoutMs: 20_000,
      }),
      this.#client.get({
        path: `${joinUrlPathSegments("simple", name)}/`,
        headers: { accept: "application/vnd.pypi.simple.v1+json" },
        result: "pypi.simple.3",
        read: pypiSimpleIndexParser,
        maxBytes: maxDocumentBytes,
        timeoutMs: 20_000,
      }),
    ]);
    return this.#derived.get(`pypi ${name}`, [project, index], () =>
      this.#combine(name, project, index),
    );
  }

  async advisories(name: string, version: string): Promise<RegistryAdvisories> {
    const outcome = await this.#client.get({
      path: `${joinUrlPathSegments("pypi", name, version)}/json`,
      result: "pypi.vulnerabilities.4",
      read: pypiAdvisoryRecordsParser,
    });
    const records = getFetchedDocument(outcome)?.records;
    const evidence = records === undefined ? [] : this.#client.evidence("advisories", outcome);
    return this.#derived.get(`pypi advisories ${name} ${version}`, [outcome], () => ({
      records,
      evidence,
    }));
  }

  #combine(
    name: string,
    project: DataSourceResult<PypiProject>,
    index: DataSourceResult<PypiSimpleIndex>,
  ): PackageRegistryResult {
    const evidence = this.#evidence(project, index);
    const [known, listed] = [getFetchedDocument(project), getFetchedDocument(index)];
    if (known === undefined && listed === undefined) {
      const isMissing = project.state === "missing" && index.state !== "failed";
      return createEmptyPackageRegistryResult(
        name,
        isMissing ? "not_found" : "undetermined",
        evidence,
      );
    }
    const mark = statusOf(known, listed);
    const writtenName = known?.name;
    const isSame = writtenName !== undefined && this.canonicalName(writtenName) === name;
    return {
      existence: "found",
      name,
      ...(isSame && { displayName: writtenName }),
      versions: versionsOf(known, listed),
      tags: new Map(),
      ...(mark !== undefined && { status: mark }),
      ...(known?.license !== undefined && { license: known.license }),
      links: known?.links ?? [],
      maintainersCount: known?.maintainersCount ?? null,
      dependentsCount: null,
      replacements: [],
      evidence,
    };
  }

  /** One entry where both say the same; a mirror without one of the two is no failure. */
  #evidence(project: DataSourceResult<unknown>, index: DataSourceResult<unknown>) {
    const told = [project, index].filter(({ state }) => state === "found");
    const failed = [project, index].filter(({ failure }) => failure !== undefined);
    const [first] = told.length > 0 ? told : [project];
    const shown = first === undefined ? failed : [first, ...failed.filter((it) => it !== first)];
    return shown.flatMap((outcome) => this.#client.evidence("metadata", outcome));
  }
}

function versionsOf(
  project: PypiProject | undefined,
  index: PypiSimpleIndex | undefined,
): readonly PackageVersionFacts[] {
  const released = project?.versions ?? [];
  const listed = index?.versions ?? [];
  return released.length > 0 ? addIndexedFacts(released, listed) : listed;
}

/**
 * A mirror may mark yanked files in the simple index alone. One of the two documents may be older
 * than the other, so that a version without files has none in either.
 */
function addIndexedFacts(
  released: readonly PackageVersionFacts[],
  listed: readonly PackageVersionFacts[],
): readonly PackageVersionFacts[] {
  const { key } = versionOrderByEcosystem.pypi;
  const needsAll = released.some(isRemoved);
  const indexed = new Map(
    listed
      .filter((facts) => !isRemoved(facts) && (needsAll || facts.withdrawal !== undefined))
      .map((facts) => [key(facts.version), facts]),
  );
  if (indexed.size === 0) return released;
  return released.map((facts) => {
    const other = indexed.get(key(facts.version));
    if (other === undefined) return facts;
    if (isRemoved(facts)) return other;
    const withdrawal = facts.withdrawal ?? other.withdrawal;
    return withdrawal === undefined ? facts : { ...facts, withdrawal };
  });
}

function isRemoved({ withdrawal }: PackageVersionFacts): boolean {
  return withdrawal?.kind === "removed";
}

function statusOf(
  project: PypiProject | undefined,
  index: PypiSimpleIndex | undefined,
): RegistryPackageStatus | undefined {
  const status = index?.status ?? project?.status;
  const kind = status === undefined ? undefined : kindOfStatus.get(status.status);
  if (kind !== undefined) return { kind, message: status?.reason ?? null };
  return project?.isInactive === true ? { kind: "inactive", message: null } : undefined;
}

const kindOfStatus = recordToMap<RegistryPackageStatus["kind"]>({
  deprecated: "deprecated",
  archived: "archived",
  quarantined: "removed",
});
