import { lookupTable } from "../../platform/lookup-table.ts";
import type { PackageMark, VersionFacts } from "../facts.ts";
import type { Derived } from "../fetch/derived.ts";
import { documentOf, type FetchOutcome } from "../fetch/outcome.ts";
import { pathOf, type SourceClient } from "../fetch/source-client.ts";
import { readProject, type PythonProject } from "./pypi-project.ts";
import { readSimpleIndex, type PythonIndex } from "./pypi-simple.ts";
import { readVulnerabilities } from "./pypi-vulnerabilities.ts";
import {
  emptyReading,
  type ListedAdvisories,
  type Registry,
  type RegistryReading,
} from "./registry.ts";
import { versionOrders } from "./version-order.ts";

const largestDocumentBytes = 32 * 1024 * 1024;

/**
 * PyPI: the project's JSON has releases, links and owners; the simple index has
 * the status that its owners or the registry gave it, and every file.
 */
export class PypiRegistry implements Registry {
  readonly ecosystem = "pypi";
  readonly order = versionOrders.pypi;
  readonly #client: SourceClient;
  readonly #derived: Derived;

  constructor(client: SourceClient, derived: Derived) {
    this.#client = client;
    this.#derived = derived;
  }

  canonicalName(name: string): string | undefined {
    const isName = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(name) && name.length <= 200;
    return isName ? name.toLowerCase().replaceAll(/[-_.]+/g, "-") : undefined;
  }

  async read(name: string): Promise<RegistryReading> {
    const [project, index] = await Promise.all([
      this.#client.get({
        path: `${pathOf("pypi", name)}/json`,
        reading: "pypi.project.3",
        read: readProject,
        maxBytes: largestDocumentBytes,
        timeoutMs: 20_000,
      }),
      this.#client.get({
        path: `${pathOf("simple", name)}/`,
        headers: { accept: "application/vnd.pypi.simple.v1+json" },
        reading: "pypi.simple.1",
        read: readSimpleIndex,
        maxBytes: largestDocumentBytes,
        timeoutMs: 20_000,
      }),
    ]);
    return this.#derived.get("pypi", [project, index], () => this.#combine(name, project, index));
  }

  async advisories(name: string, version: string): Promise<ListedAdvisories> {
    const outcome = await this.#client.get({
      path: `${pathOf("pypi", name, version)}/json`,
      reading: "pypi.vulnerabilities.1",
      read: readVulnerabilities,
    });
    const records = documentOf(outcome)?.records;
    const evidence = records === undefined ? [] : this.#client.evidence("advisories", outcome);
    return this.#derived.get("pypi advisories", [outcome], () => ({ records, evidence }));
  }

  #combine(
    name: string,
    project: FetchOutcome<PythonProject>,
    index: FetchOutcome<PythonIndex>,
  ): RegistryReading {
    const evidence = this.#evidence(project, index);
    const [known, listed] = [documentOf(project), documentOf(index)];
    if (known === undefined && listed === undefined) {
      const isMissing = project.state === "missing" && index.state !== "failed";
      return emptyReading(name, isMissing ? "not_found" : "undetermined", evidence);
    }
    const mark = markOf(known, listed);
    const writtenName = known?.name;
    const isSame = writtenName !== undefined && this.canonicalName(writtenName) === name;
    return {
      existence: "found",
      name,
      ...(isSame && { writtenName }),
      versions: versionsOf(known, listed),
      tags: new Map(),
      ...(mark !== undefined && { mark }),
      ...(known?.license !== undefined && { license: known.license }),
      links: known?.links ?? [],
      maintainersCount: known?.maintainersCount ?? null,
      dependentsCount: null,
      replacements: [],
      evidence,
    };
  }

  /** One entry where both say the same; a mirror without one of the two is no failure. */
  #evidence(project: FetchOutcome<unknown>, index: FetchOutcome<unknown>) {
    const told = [project, index].filter(({ state }) => state === "found");
    const failed = [project, index].filter(({ failure }) => failure !== undefined);
    const [first] = told.length > 0 ? told : [project];
    const shown = first === undefined ? failed : [first, ...failed.filter((it) => it !== first)];
    return shown.flatMap((outcome) => this.#client.evidence("metadata", outcome));
  }
}

function versionsOf(
  project: PythonProject | undefined,
  index: PythonIndex | undefined,
): readonly VersionFacts[] {
  const released = project?.versions ?? [];
  return released.length > 0 ? released : (index?.versions ?? []);
}

function markOf(
  project: PythonProject | undefined,
  index: PythonIndex | undefined,
): PackageMark | undefined {
  const status = index?.status ?? project?.status;
  const kind = status === undefined ? undefined : kindOfStatus.get(status.status);
  if (kind !== undefined) return { kind, message: status?.reason ?? null };
  return project?.isInactive === true ? { kind: "inactive", message: null } : undefined;
}

const kindOfStatus = lookupTable<PackageMark["kind"]>({
  deprecated: "deprecated",
  archived: "archived",
  quarantined: "removed",
});
