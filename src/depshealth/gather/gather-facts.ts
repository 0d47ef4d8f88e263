import { setImmediate } from "node:timers/promises";
import type { Registry, RegistryReading } from "../ecosystem/registry.ts";
import { emptyReading } from "../ecosystem/registry.ts";
import type {
  Ecosystem,
  GatherOptions,
  KnownPackage,
  PackageFacts,
  PackageReference,
} from "../facts.ts";
import type { Derived } from "../fetch/derived.ts";
import { documentOf, type FetchOutcome } from "../fetch/outcome.ts";
import type { Archival, DepsdevSource, IndexedPackage } from "../source/depsdev.ts";
import type { AggregatedPackage, EcosystemsSource } from "../source/ecosystems.ts";
import type { AdvisoryReading, OsvSource } from "../source/osv.ts";
import { repositoryAddress, type RepositoryAddress } from "../source/repository-address.ts";
import { assemble, type Parts } from "./assemble.ts";
import { confirmReplacement } from "./confirm-replacement.ts";
import { withOtherSpelling } from "./other-spelling.ts";
import { packageUrl } from "./package-url.ts";
import { withRegistryAdvisories } from "./registry-advisories.ts";
import { publishedVersions, type ChosenVersion, type Published } from "./published.ts";
import type { Repositories, RepositoryAnswer } from "./repositories.ts";

export interface FactsDependencies {
  readonly registries: Readonly<Record<Ecosystem, Registry>>;
  /** Ecosystems whose registry is no public one: it may leave out what that says. */
  readonly mirrored: ReadonlySet<Ecosystem>;
  readonly repositories: Repositories;
  /** Undefined: off. */
  readonly osv: OsvSource | undefined;
  readonly ecosystems: EcosystemsSource | undefined;
  readonly depsdev: DepsdevSource | undefined;
  readonly derived: Derived;
}

type Detail = GatherOptions["detail"];

/** One reference on its way. */
interface Subject {
  readonly reference: PackageReference;
  readonly registry: Registry;
  readonly reading: RegistryReading;
  readonly aggregated: FetchOutcome<AggregatedPackage> | undefined;
  readonly indexed: FetchOutcome<IndexedPackage> | undefined;
  readonly published: Published;
  readonly version: ChosenVersion;
  readonly address: RepositoryAddress | null;
}

/**
 * Gathers facts in steps, each for all packages at once: the registries and
 * the aggregator; where these leave gaps, the index of dependencies; then
 * advisories of the chosen versions and the repositories; at last, whether there
 * is what these name as a replacement.
 */
export class GatheredFacts implements PackageFacts {
  readonly #dependencies: FactsDependencies;

  #lastChoice: Promise<void> = Promise.resolve();

  constructor(dependencies: FactsDependencies) {
    this.#dependencies = dependencies;
  }

  gather(
    references: readonly PackageReference[],
    { detail, signal }: GatherOptions,
  ): Promise<readonly KnownPackage[]> {
    // What is under way serves others too and goes on; only this caller stops waiting.
    signal?.throwIfAborted();
    const gathering = this.#gather(references, detail);
    return signal === undefined ? gathering : unlessAborted(gathering, signal);
  }

  async #gather(
    references: readonly PackageReference[],
    detail: Detail,
  ): Promise<readonly KnownPackage[]> {
    const subjects = await this.#subjects(references, detail);
    const [advisories, repositories, dependents] = await Promise.all([
      this.#advisories(subjects, detail),
      this.#dependencies.repositories.ask(
        subjects.map((subject) => this.#addressToAsk(subject, detail)),
      ),
      Promise.all(subjects.map((subject) => this.#dependents(subject, detail))),
    ]);
    const archivals = await this.#archivals(subjects, repositories);
    const assembled = subjects.map((subject, index) =>
      assemble(this.#dependencies.derived, {
        ...subject,
        purl: packageUrl(subject.registry.ecosystem, subject.reading.name),
        advisories: advisories[index],
        repository: repositories[index],
        archival: archivals.get(subject),
        dependents: dependents[index],
        clients: {
          ecosystems: this.#dependencies.ecosystems?.client,
          depsdev: this.#dependencies.depsdev?.client,
        },
      } satisfies Parts),
    );
    return Promise.all(
      assembled.map(async (known) => {
        const registry = this.#dependencies.registries[known.ecosystem];
        return withOtherSpelling(registry, await confirmReplacement(registry, known));
      }),
    );
  }

  async #subjects(
    references: readonly PackageReference[],
    detail: Detail,
  ): Promise<readonly Subject[]> {
    const named = references.map((reference) => {
      const registry = this.#dependencies.registries[reference.ecosystem];
      return { reference, registry, name: registry.canonicalName(reference.name) };
    });
    const aggregated = this.#aggregated(named);
    return Promise.all(
      named.map(async ({ reference, registry, name }, index) => {
        if (name === undefined) return this.#unnameable(reference, registry);
        const [reading, more] = await Promise.all([
          registry.read(name, { detail }),
          aggregated[index],
        ]);
        return this.#subject(reference, registry, reading, more);
      }),
    );
  }

  /** No registry could have the name, so none is asked. */
  #unnameable(reference: PackageReference, registry: Registry): Promise<Subject> {
    return this.#subject(
      reference,
      registry,
      emptyReading(reference.name, "not_found", []),
      undefined,
    );
  }

  async #subject(
    reference: PackageReference,
    registry: Registry,
    reading: RegistryReading,
    aggregated: FetchOutcome<AggregatedPackage> | undefined,
  ): Promise<Subject> {
    const isNamed = registry.canonicalName(reference.name) !== undefined;
    const indexed = isNamed
      ? await this.#indexed(registry.ecosystem, reading, aggregated)
      : undefined;
    const sources = [reading, aggregated, indexed].filter((it) => it !== undefined);
    const published = this.#dependencies.derived.get("published", sources, () =>
      publishedVersions(registry, reading, {
        indexed: documentOf(indexed),
        aggregated: documentOf(aggregated),
        isMirror: this.#dependencies.mirrored.has(registry.ecosystem),
      }),
    );
    const address = this.#dependencies.derived.get("repository", sources, () => ({
      found: repositoryAddress([...reading.links, ...linkOf(aggregated)]),
    })).found;
    if (reference.select !== undefined) await this.#nextChoice();
    const version = chosenVersion(reference, registry, published);
    return { reference, registry, reading, aggregated, indexed, published, version, address };
  }

  /** A long range takes milliseconds on many versions, so each turn of the event loop makes one choice. */
  #nextChoice(): Promise<void> {
    this.#lastChoice = this.#lastChoice.then(() => setImmediate());
    return this.#lastChoice;
  }

  /** Outcomes by the place of the package; undefined where nothing is asked. */
  #aggregated(
    named: readonly { readonly registry: Registry; readonly name: string | undefined }[],
  ): readonly (Promise<FetchOutcome<AggregatedPackage>> | undefined)[] {
    const { ecosystems } = this.#dependencies;
    if (ecosystems === undefined) return [];
    const purls = named.map(({ registry, name }) =>
      name === undefined ? undefined : packageUrl(registry.ecosystem, name),
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
    reading: RegistryReading,
    aggregated: FetchOutcome<AggregatedPackage> | undefined,
  ): Promise<FetchOutcome<IndexedPackage>> | undefined {
    const lacksDates = !reading.versions.some(({ releasedAt }) => releasedAt !== null);
    const isBelieved = !lacksDates && !this.#dependencies.mirrored.has(ecosystem);
    if (reading.existence === "found" && isBelieved) return undefined;
    if (reading.existence === "removed") return undefined;
    if (reading.existence === "not_found" && documentOf(aggregated) !== undefined) return undefined;
    return this.#dependencies.depsdev?.package(ecosystem, reading.name);
  }

  /** What the advisory source says, and what the registry itself lists. */
  async #advisories(
    subjects: readonly Subject[],
    detail: Detail,
  ): Promise<readonly (AdvisoryReading | undefined)[]> {
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
        const { registry, version } = subject;
        const { name } = subject.reading;
        return this.#dependencies.derived.get(
          `advisories ${name} ${version.version}`,
          sources,
          () => ({
            found: withRegistryAdvisories(reading, listed, {
              ecosystem: registry.ecosystem,
              name,
              version: version.version ?? "",
              filedAs: "",
            }),
          }),
        ).found;
      }),
    );
  }

  #listed({ registry, reading, version, published }: Subject) {
    if (version.version === null || !isAskable(version, published)) return undefined;
    return registry.advisories?.(reading.name, version.version);
  }

  async #published(
    subjects: readonly Subject[],
  ): Promise<readonly (AdvisoryReading | undefined)[]> {
    const { osv } = this.#dependencies;
    const asked = subjects.filter(({ version, published }) => isAskable(version, published));
    const readings = osv?.lookUp(
      asked.map(({ registry, reading, version }) => ({
        ecosystem: registry.ecosystem,
        name: reading.name,
        version: version.version ?? "",
      })),
    );
    const found = await Promise.all(readings ?? []);
    const bySubject = new Map(asked.map((subject, index) => [subject, found[index]]));
    return subjects.map((subject) => bySubject.get(subject));
  }

  /** In an audit the aggregator's word will do where each repository would cost a request. */
  #addressToAsk(subject: Subject, detail: Detail): RepositoryAddress | null {
    const { address, aggregated } = subject;
    if (address === null || detail === "all") return address;
    const isKnown = (documentOf(aggregated)?.archived ?? null) !== null;
    return isKnown && !this.#dependencies.repositories.asksTogether(address) ? null : address;
  }

  /** Of repositories whose state nobody else could tell. */
  async #archivals(
    subjects: readonly Subject[],
    answers: readonly RepositoryAnswer[],
  ): Promise<ReadonlyMap<Subject, FetchOutcome<Archival>>> {
    const { depsdev } = this.#dependencies;
    const found = new Map<Subject, FetchOutcome<Archival>>();
    if (depsdev === undefined) return found;
    const asked = subjects.flatMap((subject, index) => {
      const isTold = (answers[index]?.outcome?.state ?? "failed") !== "failed";
      const { address, aggregated } = subject;
      const isKnown = isTold || (documentOf(aggregated)?.archived ?? null) !== null;
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

  async #dependents(subject: Subject, detail: Detail): Promise<FetchOutcome<number> | undefined> {
    const known = documentOf(subject.aggregated)?.dependentsCount ?? null;
    if (detail !== "all" || known !== null) return undefined;
    const { reading, registry, published } = subject;
    const version = published.latestVersion;
    if (reading.dependentsCount !== null || version === null) return undefined;
    return this.#dependencies.depsdev?.dependents(registry.ecosystem, reading.name, version);
  }
}

/**
 * A version that was asked for is looked up although the registry could not be
 * asked or does not have it: it may have taken it away for what it does.
 */
function isAskable({ version }: ChosenVersion, { existence }: Published): boolean {
  return version !== null && existence !== "not_found";
}

function chosenVersion(
  { version, select }: PackageReference,
  { order }: Registry,
  published: Published,
): ChosenVersion {
  if (version !== undefined) {
    const facts = published.byKey.get(order.key(version));
    if (facts !== undefined) return { version: facts.version, found: true };
    const isKnown = published.isComplete || published.existence === "removed";
    return { version, found: isKnown ? false : null };
  }
  if (select === undefined) return { version: published.latestVersion, found: null };
  const chosen = select(published);
  if (chosen !== undefined) return { version: chosen, found: null };
  return { version: null, found: published.isComplete ? false : null };
}

function linkOf(aggregated: FetchOutcome<AggregatedPackage> | undefined) {
  const url = documentOf(aggregated)?.repositoryUrl ?? null;
  return url === null ? [] : [{ url, directory: null }];
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return promise;
}
