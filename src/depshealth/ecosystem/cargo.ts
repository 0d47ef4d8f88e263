import type { DataSourceEvidence, PackageVersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import {
  crateMetadataParser,
  crateOwnerCountParser,
  crateDependentCountParser,
  type CrateMetadata,
} from "./cargo-crate.ts";
import { crateIndexParser, type CrateIndex } from "./cargo-index.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistryReadOptions,
  type PackageRegistry,
  type PackageRegistryResult,
} from "./registry.ts";
import { choosePackageNameSpelling } from "./choose-spelling.ts";
import { sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

export interface CargoRegistryDependencies {
  readonly api: DataSourceClient;
  readonly index: DataSourceClient;
  readonly derived: WeakMemo;
}

/**
 * The registry of Rust's crates: its index, files of a content network, says
 * which versions there are and which are yanked; its interface, which wants one
 * request a second at most, has dates, reasons and the repository.
 */
export class CargoRegistry implements PackageRegistry {
  readonly ecosystem = "cargo";
  readonly order = versionOrderByEcosystem.cargo;
  readonly #dependencies: CargoRegistryDependencies;

  constructor(dependencies: CargoRegistryDependencies) {
    this.#dependencies = dependencies;
  }

  canonicalName(name: string): string | undefined {
    return /^[a-z][a-z0-9_-]{0,63}$/i.test(name) ? name : undefined;
  }

  async read(name: string, { detail }: PackageRegistryReadOptions): Promise<PackageRegistryResult> {
    const { api } = this.#dependencies;
    if (detail === "existence") return this.#listed(name);
    const crates = joinUrlPathSegments("api", "v1", "crates", name);
    const [listed, crate, ...counts] = await Promise.all([
      this.#index(name),
      api.get({ path: crates, result: "cargo.crate.3", read: crateMetadataParser }),
      ...(detail === "all" ? this.#counts(crates) : []),
    ]);
    const written = getFetchedDocument(crate)?.name;
    const known =
      written === undefined ? undefined : choosePackageNameSpelling("cargo", name, written);
    const { name: spelled, index } =
      listed.state === "missing" && crate.state !== "missing"
        ? await this.#otherIndex(name, listed, known === undefined ? otherDashes(name) : [known])
        : { name: known ?? spellingInIndex(name, listed), index: listed };
    const outcomes = [index, crate, ...counts];
    return this.#dependencies.derived.get(`cargo ${name} ${detail}`, outcomes, () =>
      this.#combine(spelled, index, crate, counts),
    );
  }

  async #listed(name: string): Promise<PackageRegistryResult> {
    const index = await this.#index(name);
    const existence = existences[index.state];
    return {
      ...createEmptyPackageRegistryResult(spellingInIndex(name, index), existence, []),
      versions: getFetchedDocument(index)?.versions ?? [],
    };
  }

  /** The interface takes `-` for `_` and finds a crate by either; the index has one of them. */
  async #otherIndex(name: string, missing: IndexOutcome, others: readonly string[]) {
    for (const other of others) {
      const index = other === name ? missing : await this.#index(other);
      if (index.state !== "missing") {
        return { name: spellingInIndex(other, index), index };
      }
    }
    return { name, index: missing };
  }

  #index(name: string): Promise<IndexOutcome> {
    const path = joinUrlPathSegments(...indexPath(name.toLowerCase()));
    return this.#dependencies.index.get({ path, result: "cargo.index.3", read: crateIndexParser });
  }

  #counts(crate: string): Promise<DataSourceResult<number>>[] {
    const { api } = this.#dependencies;
    return [
      api.get({
        path: `${crate}/owner_user`,
        result: "cargo.owners.1",
        read: crateOwnerCountParser,
      }),
      api.get({
        path: `${crate}/owner_team`,
        result: "cargo.owners.1",
        read: crateOwnerCountParser,
      }),
      api.get({
        path: `${crate}/reverse_dependencies?per_page=1`,
        result: "cargo.dependents.1",
        read: crateDependentCountParser,
      }),
    ];
  }

  /**
   * The index says all that the registry knows of versions; without the
   * interface the repository is lost, and dates that others may have.
   */
  #metadataEvidence(
    index: IndexOutcome,
    crate: DataSourceResult<CrateMetadata>,
  ): readonly DataSourceEvidence[] {
    const { api } = this.#dependencies;
    if (index.state !== "found") {
      const crateEvidence = api.evidence("metadata", crate);
      return index.state === "failed"
        ? [...crateEvidence, ...api.evidence("metadata", index)]
        : crateEvidence;
    }
    const indexEvidence = api.evidence("metadata", index);
    return crate.failure === undefined
      ? indexEvidence
      : [...indexEvidence, ...api.evidence("repository", crate)];
  }

  #combine(
    name: string,
    index: IndexOutcome,
    crate: DataSourceResult<CrateMetadata>,
    [users, teams, dependents]: readonly DataSourceResult<number>[],
  ): PackageRegistryResult {
    const { api } = this.#dependencies;
    const evidence = [
      ...this.#metadataEvidence(index, crate),
      ...[users, teams]
        .flatMap((it) => (it === undefined ? [] : api.evidence("maintainers", it)))
        .slice(0, 1),
      ...(dependents === undefined ? [] : api.evidence("dependents", dependents)),
    ];
    const [listed, known] = [getFetchedDocument(index)?.versions, getFetchedDocument(crate)];
    if (listed === undefined && known === undefined) {
      const isMissing = index.state === "missing" || crate.state === "missing";
      return createEmptyPackageRegistryResult(
        name,
        isMissing ? "not_found" : "undetermined",
        evidence,
      );
    }
    return {
      existence: "found",
      name,
      versions: mergedVersions(listed, known),
      tags: new Map(),
      links: known?.links ?? [],
      maintainersCount: sum(getFetchedDocument(users), getFetchedDocument(teams)),
      dependentsCount: getFetchedDocument(dependents) ?? null,
      replacements: [],
      evidence,
    };
  }
}

type IndexOutcome = DataSourceResult<CrateIndex>;

function spellingInIndex(name: string, index: IndexOutcome): string {
  return choosePackageNameSpelling("cargo", name, getFetchedDocument(index)?.name);
}

/** The name with its dashes written the other ways. */
function otherDashes(name: string): readonly string[] {
  const ways = [name.replaceAll("-", "_"), name.replaceAll("_", "-")];
  return ways.filter((way) => way !== name);
}

const existences = { found: "found", missing: "not_found", failed: "undetermined" } as const;

function sum(left: number | undefined, right: number | undefined): number | null {
  return left === undefined || right === undefined ? null : left + right;
}

/** The index decides what there is and what is yanked; the interface adds when and why. */
function mergedVersions(
  listed: readonly PackageVersionFacts[] | undefined,
  crate: CrateMetadata | undefined,
): readonly PackageVersionFacts[] {
  if (listed === undefined) return crate?.versions ?? [];
  const told = new Map(crate?.versions.map((facts) => [facts.version, facts]));
  return sortUniqueVersions(
    versionOrderByEcosystem.cargo,
    listed.map((facts) => {
      const more = told.get(facts.version);
      const reason = more?.withdrawal?.reason ?? null;
      return {
        ...facts,
        releasedAt: facts.releasedAt ?? more?.releasedAt ?? null,
        ...(more?.license !== undefined && { license: more.license }),
        ...(facts.withdrawal !== undefined && { withdrawal: { kind: "yanked" as const, reason } }),
      };
    }),
  );
}

/** `1/a`, `2/ab`, `3/a/abc`, `ab/cd/abcd`. */
function indexPath(name: string): readonly string[] {
  if (name.length <= 2) return [String(name.length), name];
  if (name.length === 3) return ["3", name.slice(0, 1), name];
  return [name.slice(0, 2), name.slice(2, 4), name];
}
