import { pino, type Logger } from "pino";
import { createPackageFactsComponents } from "../../../src/depshealth/open-package-facts.ts";
import type {
  FactsGatheringOptions,
  PackageInfo,
  PackageFactsGatherer,
  PackageReference,
} from "../../../src/depshealth/facts.ts";
import type {
  DataSourceDocumentStore,
  StoredDocument,
} from "../../../src/depshealth/fetch/document-store.ts";
import type { NpmRegistrySetting } from "../../../src/depshealth/ecosystem/npm-configuration.ts";
import { Dialer } from "../../../src/platform/dial/dialer.ts";
import type { FakeSources } from "./fake-sources.ts";

export interface FactsUnderTest {
  readonly facts: PackageFactsGatherer;
  /** Time of the cache and the gates; it stands still unless it is moved. */
  readonly clock: { now(): number; set(time: number): void };
  /** Gathers one package. */
  one(reference: PackageReference, detail?: FactsGatheringOptions["detail"]): Promise<PackageInfo>;
  close(): Promise<void>;
}

export interface OpenFactsOptions {
  readonly store?: DataSourceDocumentStore;
  readonly githubToken?: string;
  /** Sources to leave out. */
  readonly off?: readonly string[];
  readonly npmRegistries?: readonly NpmRegistrySetting[];
  /** Registries to leave at their own addresses. */
  readonly unnamed?: readonly string[];
  readonly now?: number;
  readonly log?: Logger;
  /** Of one request to a source. */
  readonly timeoutMs?: number | undefined;
}

/** 2026-11-20 */
export const today = Date.UTC(2026, 10, 20);

/** Facts that are gathered from the fake sources alone. */
export function openFacts(fake: FakeSources, options: OpenFactsOptions = {}): FactsUnderTest {
  const { registries, sources } = fake.configuration();
  const off = Object.fromEntries((options.off ?? []).map((name) => [name, "off"]));
  const dialer = new Dialer({ allow: [], operatorAddresses: [fake.origin], connectMs: 2000 });
  let time = options.now ?? today;
  const clock = { now: () => time, set: (next: number) => void (time = next) };
  const named = Object.entries(registries).filter(([name]) => !options.unnamed?.includes(name));
  const opened = createPackageFactsComponents({
    dialer,
    store: options.store ?? memoryStore(),
    clock,
    throttleClock: clock,
    log: options.log ?? pino({ level: "silent" }),
    packageSources: {
      registries: Object.fromEntries(named),
      sources: { ...sources, ...off },
      githubToken: options.githubToken,
    },
    npmRegistries: options.npmRegistries ?? [],
    userAgent: "causeway-test/1.0 (+mailto:owner@example.org)",
    timeoutMs: options.timeoutMs,
  });
  const { facts } = opened;
  return {
    facts,
    clock,
    one: async (reference, detail = "all") => {
      const [known] = await facts.gather([reference], { detail });
      if (known === undefined) throw new Error("Nothing was gathered.");
      return known;
    },
    close: async () => {
      await opened.close();
      await dialer.close();
    },
  };
}

/** A store that lives as long as the test. */
export function memoryStore(): DataSourceDocumentStore & {
  readonly rows: Map<string, StoredDocument>;
} {
  const rows = new Map<string, StoredDocument>();
  return {
    rows,
    read: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const row = rows.get(id);
          return row === undefined ? [] : [[id, row]];
        }),
      ),
    write: (document) => void rows.set(document.id, document),
    deleteExpired: async () => {},
    close: async () => {},
  };
}
