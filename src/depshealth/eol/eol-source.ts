import type { Clock } from "../../platform/clock.ts";
import type { DataSourceResult, DataSourceFailure } from "../fetch/outcome.ts";
import type { DataSourceClient } from "../fetch/source-client.ts";
import type { EolDataset, LoadedEolDataset } from "./dataset.ts";
import { eolDatasetParser } from "./read-dataset.ts";
import { readEolSnapshot } from "./snapshot/read-snapshot.ts";
import { withTimeoutFallback } from "../../platform/with-timeout.ts";

const day = 24 * 60 * 60_000;

/** Asked once a day; an older copy serves for a month while the new one comes. */
const lifetimes = { freshMs: day, staleMs: 30 * day, missingMs: 10 * 60_000 };

/** Where the document lies below the base address, which may hold the API's own path or not. */
const paths = ["/api/v1/products/full", "/products/full"];

/** How long an answer waits for a source that has not been heard yet. */
const maxWaitMs = 1000;
/** How long a source that was not heard is not waited for again; it is asked all the same. */
const shortWaitMs = 60_000;

export interface EolDatasetLoaderDependencies {
  /** Undefined: the operator has turned the source off. */
  readonly client: Pick<DataSourceClient, "get"> | undefined;
  readonly clock: Clock;
  /** The copy that comes with the program, if omitted. */
  readonly snapshot?: () => LoadedEolDataset;
}

/**
 * The dataset, from memory, from the database, or from its source; the one that
 * comes with the program where there is no newer one, or not in time.
 */
export class EolDatasetLoader {
  readonly #dependencies: EolDatasetLoaderDependencies;
  #snapshot: LoadedEolDataset | undefined;
  #shortWaitUntil = 0;

  constructor(dependencies: EolDatasetLoaderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Never rejects, and takes no longer than the patience with the source. */
  async load(): Promise<LoadedEolDataset> {
    this.#snapshot ??= (this.#dependencies.snapshot ?? readEolSnapshot)();
    const { client } = this.#dependencies;
    return client === undefined ? this.#snapshot : this.#newest(client, this.#snapshot);
  }

  async #newest(
    client: Pick<DataSourceClient, "get">,
    shipped: LoadedEolDataset,
  ): Promise<LoadedEolDataset> {
    const outcome = await this.#inTime(fetchBoth(client));
    if (outcome.state !== "found") {
      this.#shortWaitUntil = this.#dependencies.clock.now() + shortWaitMs;
      return { ...shipped, failure: failureOf(outcome) };
    }
    return outcome.observedAt < shipped.observedAt ? shipped : { ...outcome, isShipped: false };
  }

  #inTime(asked: Promise<DataSourceResult<EolDataset>>): Promise<DataSourceResult<EolDataset>> {
    const now = this.#dependencies.clock.now();
    const failure = { message: "did not answer in time", at: now };
    const patience = now < this.#shortWaitUntil ? 0 : maxWaitMs;
    return withTimeoutFallback(asked, patience, { state: "failed", failure });
  }
}

function failureOf(
  outcome: Exclude<DataSourceResult<EolDataset>, { state: "found" }>,
): DataSourceFailure {
  return outcome.state === "failed"
    ? outcome.failure
    : { message: "does not have it", at: outcome.observedAt };
}

/** Never rejects. */
async function fetchBoth(
  client: Pick<DataSourceClient, "get">,
): Promise<DataSourceResult<EolDataset>> {
  const [first = "", second = ""] = paths;
  const outcome = await fetchDocumentAt(client, first);
  return outcome.state === "missing" ? fetchDocumentAt(client, second) : outcome;
}

function fetchDocumentAt(
  client: Pick<DataSourceClient, "get">,
  path: string,
): Promise<DataSourceResult<EolDataset>> {
  return client.get({
    path,
    read: eolDatasetParser,
    result: "endoflife 1",
    lifetimes,
    maxBytes: 32 * 1024 * 1024,
    timeoutMs: 30_000,
  });
}
