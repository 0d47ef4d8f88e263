import type { Outcome } from "../fetch/outcome.ts";
import type { SourceClient } from "../fetch/source-client.ts";
import type { EolDataset } from "./dataset.ts";
import { datasetReader } from "./read-dataset.ts";

const day = 24 * 60 * 60_000;

/** Asked once a day; an older copy serves for a month while the new one comes. */
const lifetimes = { freshMs: day, staleMs: 30 * day, missingMs: 10 * 60_000 };

/** Where the document lies below the base address, which may hold the API's own path or not. */
const paths = ["/api/v1/products/full", "/products/full"];

/** The dataset, from memory, from the database, or from its source. */
export class EolSource {
  readonly #client: Pick<SourceClient, "get">;

  constructor(client: Pick<SourceClient, "get">) {
    this.#client = client;
  }

  /** Never rejects: without a copy at hand a source that fails is `failed`. */
  async load(): Promise<Outcome<EolDataset>> {
    const [first = "", second = ""] = paths;
    const outcome = await this.#ask(first);
    return outcome.state === "missing" ? this.#ask(second) : outcome;
  }

  #ask(path: string): Promise<Outcome<EolDataset>> {
    return this.#client.get({
      path,
      read: datasetReader,
      reading: "endoflife 1",
      lifetimes,
      maxBytes: 32 * 1024 * 1024,
      timeoutMs: 30_000,
    });
  }
}
