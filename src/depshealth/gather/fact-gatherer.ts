import { setImmediate } from "node:timers/promises";
import type { PackageRegistry, PackageRegistryResult } from "../ecosystem/registry.ts";
import { createEmptyPackageRegistryResult } from "../ecosystem/registry.ts";
import type {
  Ecosystem,
  FactsGatheringOptions,
  PackageInfo,
  PackageFactsGatherer,
  PackageReference,
  PackageInfoTransformer,
} from "../facts.ts";
import type { Clock } from "../../platform/clock.ts";
import { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import { rejectWhenAborted } from "../../platform/reject-when-aborted.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import type { RepositoryArchiveStatus, DepsdevSource, DepsdevPackage } from "../source/depsdev.ts";
import {
  toEcosystemsRepositoryLinks,
  type EcosystemsPackage,
  type EcosystemsSource,
} from "../source/ecosystems.ts";
import { selectStandingAdvisories } from "../source/merge-advisories.ts";
import type { AdvisoryLookupResult, OsvSource } from "../source/osv.ts";
import { findRepositoryAddress, type RepositoryAddress } from "../source/repository-address.ts";
import { assemblePackageInfo, type GatheredPackageParts } from "./assemble.ts";
import { selectInstallableReplacement } from "./confirm-replacement.ts";
import { addAlternatePackageName } from "./alternate-spelling.ts";
import { buildVersionlessPackageUrl } from "./package-url.ts";
import { addRegistryAdvisories, treatEmptyAdvisoriesAsUnknown } from "./registry-advisories.ts";
import {
  checkExactVersionIsPublished,
  toChosenPackageVersion,
  combinePublishedVersions,
  type ChosenPackageVersion,
  type CombinedPublishedVersions,
} from "./published.ts";
import {
  canAskForAdvisories,
  hasManyPublishedVersions,
  listAdvisoryLookupNames,
  readRegistryPackageWithinMemory,
  buildAdvisoryQuerySubject,
  dropPackageVersions,
  type PackageWithRegistryResult,
} from "./subject.ts";
import { VersionMemoryBudget } from "./version-budget.ts";
import type { RepositoryHostClients, RepositoryLookupResult } from "./repositories.ts";

export interface MultiSourceFactsGathererDependencies {
  readonly registries: Readonly<Record<Ecosystem, PackageRegistry>>;
  /** Ecosystems whose registry is no public one: it may leave out what that says. */
  readonly mirrored: ReadonlySet<Ecosystem>;
  readonly repositories: RepositoryHostClients;
  /** Undefined: off. */
  readonly osv: OsvSource | undefined;
  readonly ecosystems: EcosystemsSource | undefined;
  readonly depsdev: DepsdevSource | undefined;
  readonly derived: WeakMemo;
  readonly clock: Clock;
}

type Detail = FactsGatheringOptions["detail"];

/** What other sources than the registry said of a package. */
type HeardParts = Omit<GatheredPackageParts, keyof PackageWithRegistryResult | "purl">;

/** A reference with its registry, and the name that it has there. */
interface NamedReference {
  readonly reference: PackageReference;
  readonly registry: PackageRegistry;
  readonly name: string | undefined;
}

/**
 * Gathers facts in steps, each for all packages at once: the registries and
 * the aggregator; where these leave gaps, the index of dependencies; then
 * advisories of the chosen versions and the repositories; at last, whether there
 * is what these name as a replacement.
 */
export class MultiSourceFactsGatherer implements PackageFactsGatherer {
  readonly #dependencies: MultiSourceFactsGathererDependencies;

  /** A long range takes its time on many versions, so one choice is made at a time. */
  readonly #choices = new KeyedConcurrencyLimiter(1);

  /** Packages whose versions exceed the budget of their request are in memory one at a time. */
  readonly #large = new KeyedConcurrencyLimiter(1);

  /** Packages with many versions take a while each, so other work runs between two of them. */
  readonly #turns = new KeyedConcurrencyLimiter(1);

  constructor(dependencies: MultiSourceFactsGathererDependencies) {
    this.#dependencies = dependencies;
  }

  gather(
    references: readonly PackageReference[],
    options: FactsGatheringOptions,
  ): Promise<readonly PackageInfo[]> {
    return this.gatherEach(references, options, (info) => info);
  }

  gatherEach<Result>(
    references: readonly PackageReference[],
    { detail, signal }: FactsGatheringOptions,
    use: PackageInfoTransformer<Result>,
  ): Promise<readonly Result[]> {
    // What is under way serves others too and goes on; only this caller stops waiting.
    signal?.throwIfAborted();
    const gathering = this.#gather(references, detail, use);
    return signal === undefined ? gathering : rejectWhenAborted(gathering, signal);
  }

  async #gather<Result>(
    references: readonly PackageReference[],
    detail: Detail,
    use: PackageInfoTransformer<Result>,
  ): Promise<readonly Result[]> {
    const subjects = await this.#subjects(references, detail);
    const [advisories, repositories, dependents] = await Promise.all([
      this.#advisories(subjects, detail),
      this.#dependencies.repositories.ask(
        subjects.map((subject) => this.#addressToAsk(subject, detail)),
      ),
      Promise.all(subjects.map((subject) => this.#dependents(subject, detail))),
    ]);
    const archivals = await this.#archivals(subjects, repositories);
    const clients = {
      ecosystems: this.#dependencies.ecosystems?.client,
      depsdev: this.#dependencies.depsdev?.client,
    };
    return Promise.all(
      subjects.map((subject, index) => {
        const heard = {
          advisories: advisories[index],
          repository: repositories[index],
          archival: archivals.get(subject),
          dependents: dependents[index],
          clients,
        };
        const finish = async (whole: PackageWithRegistryResult) => {
          await this.#pause(whole.reading);
          return use(await this.#assemble(whole, heard), index);
        };
        const { largeName } = subject;
        if (largeName === undefined) return finish(subject);
        return this.#large.run("", async () =>
          finish(await this.#restore(subject, largeName, detail)),
        );
      }),
    );
  }

  async #assemble(subject: PackageWithRegistryResult, heard: HeardParts): Promise<PackageInfo> {
    const { registry, reading } = subject;
    const purl = buildVersionlessPackageUrl(registry.ecosystem, reading.name);
    const known = assemblePackageInfo(this.#dependencies.derived, { ...subject, ...heard, purl });
    return addAlternatePackageName(registry, await selectInstallableReplacement(registry, known));
  }

  async #subjects(
    references: readonly PackageReference[],
    detail: Detail,
  ): Promise<readonly PackageWithRegistryResult[]> {
    const named = references.map((reference): NamedReference => {
      const registry = this.#dependencies.registries[reference.ecosystem];
      return { reference, registry, name: registry.canonicalName(reference.name) };
    });
    const aggregated = this.#aggregated(named);
    const budget = new VersionMemoryBudget();
    return Promise.all(
      named.map(async ({ reference, registry, name }, index) => {
        if (name === undefined) return this.#unnameable(reference, registry);
        const [reading, more] = await Promise.all([
          readRegistryPackageWithinMemory(budget, registry, name, detail),
          aggregated[index],
        ]);
        if (reading !== undefined) return this.#subject(reference, registry, reading, more);
        return this.#large.run("", async () => {
          const again = await registry.read(name, { detail });
          return dropPackageVersions(await this.#subject(reference, registry, again, more), name);
        });
      }),
    );
  }

  /** Reads the versions of a large package again, which are in the cache of documents. */
  async #restore(
    subject: PackageWithRegistryResult,
    name: string,
    detail: Detail,
  ): Promise<PackageWithRegistryResult> {
    const { registry, aggregated, indexed } = subject;
    const reading = await registry.read(name, { detail });
    await this.#pause(reading);
    return { ...subject, reading, published: this.#state(registry, reading, aggregated, indexed) };
  }

  /** No registry could have the name, so none is asked. */
  #unnameable(
    reference: PackageReference,
    registry: PackageRegistry,
  ): Promise<PackageWithRegistryResult> {
    return this.#subject(
      reference,
      registry,
      createEmptyPackageRegistryResult(reference.name, "not_found", []),
      undefined,
    );
  }

  async #subject(
    reference: PackageReference,
    registry: PackageRegistry,
    reading: PackageRegistryResult,
    aggregated: DataSourceResult<EcosystemsPackage> | undefined,
  ): Promise<PackageWithRegistryResult> {
    const isNamed = registry.canonicalName(reference.name) !== undefined;
    const indexed = isNamed
      ? await this.#indexed(registry.ecosystem, reading, aggregated)
      : undefined;
    const sources = [reading, aggregated, indexed].filter((it) => it !== undefined);
    await this.#pause(reading);
    const published = this.#state(registry, reading, aggregated, indexed);
    const address = this.#dependencies.derived.get(`repository ${reading.name}`, sources, () => ({
      found: findRepositoryAddress([
        ...reading.links,
        ...toEcosystemsRepositoryLinks(getFetchedDocument(aggregated)),
      ]),
    })).found;
    await this.#pause(reading);
    const version = await this.#version(reference, published);
    const heard = { reading, aggregated, indexed, published, version };
    const known = { reference, registry, address, ...heard };
    return { ...known, names: listAdvisoryLookupNames(known) };
  }

  /** Waits for a turn of the event loop in which no other package with many versions is worked on. */
  async #pause(reading: PackageRegistryResult): Promise<void> {
    if (hasManyPublishedVersions(reading)) await this.#turns.run("", () => setImmediate());
  }

  #state(
    registry: PackageRegistry,
    reading: PackageRegistryResult,
    aggregated: DataSourceResult<EcosystemsPackage> | undefined,
    indexed: DataSourceResult<DepsdevPackage> | undefined,
  ): CombinedPublishedVersions {
    const sources = [reading, aggregated, indexed].filter((it) => it !== undefined);
    return this.#dependencies.derived.get(`published ${reading.name}`, sources, () =>
      combinePublishedVersions(registry, reading, {
        indexed: getFetchedDocument(indexed),
        aggregated: getFetchedDocument(aggregated),
        isMirror: this.#dependencies.mirrored.has(registry.ecosystem),
      }),
    );
  }

  #version(
    { ecosystem, version, select }: PackageReference,
    published: CombinedPublishedVersions,
  ): ChosenPackageVersion | Promise<ChosenPackageVersion> {
    if (version !== undefined) return checkExactVersionIsPublished(ecosystem, version, published);
    if (select === undefined) return { version: published.latestVersion, found: null };
    return this.#choices.run("", async () => {
      await setImmediate();
      return toChosenPackageVersion(await select(published), published);
    });
  }

  /** Outcomes by the place of the package; undefined where nothing is asked. */
  #aggregated(
    named: readonly { readonly registry: PackageRegistry; readonly name: string | undefined }[],
  ): readonly (Promise<DataSourceResult<EcosystemsPackage>> | undefined)[] {
    const { ecosystems } = this.#dependencies;
    if (ecosystems === undefined) return [];
    const purls = named.map(({ registry, name }) =>
      name === undefined ? undefined : buildVersionlessPackageUrl(registry.ecosystem, name),
    );
    const asked = [...new Set(purls.filter((purl) => purl !== undefined))];
    const outcomes = ecosystems.lookUp(asked);
    const byPurl = new Map(asked.map((purl, index) => [purl, outcomes[index]]));
    return purls.map((purl) => (purl === undefined ? undefined : byPurl.get(purl)));
  }

  /**
   * Asked only where the registry did not say when versions came out, or whether there
   * are any, and as a second witness of what a mirror says.
   */
  #indexed(
    ecosystem: Ecosystem,
    reading: PackageRegistryResult,
    aggregated: DataSourceResult<EcosystemsPackage> | undefined,
  ): Promise<DataSourceResult<DepsdevPackage>> | undefined {
    const lacksDates = !reading.versions.some(({ releasedAt }) => releasedAt !== null);
    const isBelieved = !lacksDates && !this.#dependencies.mirrored.has(ecosystem);
    if (reading.existence === "found" && isBelieved) return undefined;
    if (reading.existence === "removed") return undefined;
    if (reading.existence === "not_found" && getFetchedDocument(aggregated) !== undefined)
      return undefined;
    return this.#dependencies.depsdev?.package(ecosystem, reading.name);
  }

  /** What the advisory source says, and what the registry itself lists. */
  async #advisories(
    subjects: readonly PackageWithRegistryResult[],
    detail: Detail,
  ): Promise<readonly (AdvisoryLookupResult | undefined)[]> {
    const early = subjects.map((subject) => (detail === "all" ? this.#listed(subject) : undefined));
    const heard = await this.#published(subjects);
    return Promise.all(
      subjects.map(async (subject, index) => {
        const reading = heard[index];
        // In an audit each would cost a request: only where nobody else has told.
        const isTold = (reading?.advisories ?? null) !== null;
        const listed = await (early[index] ?? (isTold ? undefined : this.#listed(subject)));
        if (listed === undefined) return reading;
        const sources = [reading, listed].filter((it) => it !== undefined);
        const now = this.#dependencies.clock.now();
        const standing = listed.records && selectStandingAdvisories(listed.records, now);
        const { name } = subject.reading;
        const { version } = subject.version;
        const asked = { ecosystem: subject.registry.ecosystem, name, version, filedAs: "" };
        const variant = `advisories ${name} ${version} ${standing?.length}`;
        return this.#dependencies.derived.get(variant, sources, () => ({
          found: addRegistryAdvisories(reading, { ...listed, records: standing }, asked),
        })).found;
      }),
    );
  }

  #listed({ registry, reading, version, published }: PackageWithRegistryResult) {
    if (version.version === null || published.existence === "not_found") return undefined;
    return registry.advisories?.(reading.name, version.version);
  }

  async #published(
    subjects: readonly PackageWithRegistryResult[],
  ): Promise<readonly (AdvisoryLookupResult | undefined)[]> {
    const { osv } = this.#dependencies;
    const asked = subjects.filter(canAskForAdvisories);
    const readings = osv?.lookUp(asked.map(buildAdvisoryQuerySubject));
    const found = await Promise.all(readings ?? []);
    const bySubject = new Map(
      asked.map((subject, index) => [
        subject,
        treatEmptyAdvisoriesAsUnknown(subject, found[index]),
      ]),
    );
    return subjects.map((subject) => bySubject.get(subject));
  }

  /** In an audit the aggregator's word will do where each repository would cost a request. */
  #addressToAsk(subject: PackageWithRegistryResult, detail: Detail): RepositoryAddress | null {
    const { address, aggregated } = subject;
    if (address === null || detail === "all") return address;
    const isKnown = (getFetchedDocument(aggregated)?.archived ?? null) !== null;
    return isKnown && !this.#dependencies.repositories.supportsBatch(address) ? null : address;
  }

  /** Of repositories whose state nobody else could tell. */
  async #archivals(
    subjects: readonly PackageWithRegistryResult[],
    answers: readonly RepositoryLookupResult[],
  ): Promise<ReadonlyMap<PackageWithRegistryResult, DataSourceResult<RepositoryArchiveStatus>>> {
    const { depsdev } = this.#dependencies;
    const found = new Map<PackageWithRegistryResult, DataSourceResult<RepositoryArchiveStatus>>();
    if (depsdev === undefined) return found;
    const asked = subjects.flatMap((subject, index) => {
      const isTold = (answers[index]?.outcome?.state ?? "failed") !== "failed";
      const { address, aggregated } = subject;
      const isKnown = isTold || (getFetchedDocument(aggregated)?.archived ?? null) !== null;
      return address === null || isKnown || !depsdev.hasProjects(address)
        ? []
        : [{ subject, address }];
    });
    const outcomes = await Promise.all(depsdev.archived(asked.map(({ address }) => address)));
    asked.forEach(({ subject }, index) => {
      const outcome = outcomes[index];
      if (outcome !== undefined) found.set(subject, outcome);
    });
    return found;
  }

  async #dependents(
    subject: PackageWithRegistryResult,
    detail: Detail,
  ): Promise<DataSourceResult<number> | undefined> {
    const known = getFetchedDocument(subject.aggregated)?.dependentsCount ?? null;
    if (detail !== "all" || known !== null) return undefined;
    const { reading, registry, published } = subject;
    const version = published.latestVersion;
    if (reading.dependentsCount !== null || version === null) return undefined;
    return this.#dependencies.depsdev?.dependents(registry.ecosystem, reading.name, version);
  }
}
