import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EolDatasetLoader } from "../../../src/depshealth/eol/eol-source.ts";
import { DataSourceDocumentCache } from "../../../src/depshealth/fetch/document-cache.ts";
import { BlockedDataSourceLog } from "../../../src/depshealth/fetch/blocked-source-log.ts";
import { DataSourceClientFactory } from "../../../src/depshealth/fetch/source-clients.ts";
import { Dialer } from "../../../src/platform/dial/dialer.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { memoryStore } from "../../support/fake-sources/open-facts.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { product, release, sampleDocument } from "./sample.ts";

const day = 24 * 60 * 60_000;
const path = "/endoflife/api/v1/products/full";

let fake: FakeSources;
let dialer: Dialer;
/** Ninety days older than the time of a test. */
const shipped = {
  document: { products: [{ name: "shipped", label: "", aliases: [], purls: [], cycles: [] }] },
  observedAt: Date.UTC(2026, 10, 20) - 90 * day,
  isShipped: true,
};

let source: EolDatasetLoader;
let time: number;

beforeEach(async () => {
  fake = await startFakeSources();
  dialer = new Dialer({ allow: [], operatorAddresses: [fake.origin], connectMs: 2000 });
  time = Date.UTC(2026, 10, 20);
  const clock = { now: () => time };
  const log = pino({ level: "silent" });
  const cache = new DataSourceDocumentCache({ store: memoryStore(), clock, log });
  const refusals = new BlockedDataSourceLog(log);
  const clients = new DataSourceClientFactory({
    dialer,
    clock,
    throttleClock: clock,
    userAgent: "causeway-test",
    cache,
    errors: refusals,
  });
  const address = { base: `${fake.origin}/endoflife`, isOwn: true };
  const client = clients.create("endoflife", "endoflife", address);
  source = new EolDatasetLoader({ client, clock, snapshot: () => shipped });
  serve("first");
});

afterEach(async () => {
  await dialer.close();
  await fake.close();
});

function serve(name: string): void {
  fake.serve(path, { text: sampleDocument([product(name, name, [release("1")])]) });
}

/** The product of the dataset that is given, and its age in days. */
async function loaded(): Promise<readonly [name: string | undefined, days: number]> {
  const { document, observedAt } = await source.load();
  return [document.products[0]?.name, (time - observedAt) / day];
}

/** Long enough for a request in the background to have been received and answered. */
async function roundTrips(): Promise<void> {
  for (let count = 0; count < 5; count++) await fetch(`${fake.origin}/nothing`);
}

describe("the dataset", () => {
  it("is asked for once a day, in the background, while the old copy serves", async () => {
    expect(await loaded()).toEqual(["first", 0]);
    serve("second");
    time += day - 1000;
    expect(await loaded()).toEqual(["first", (day - 1000) / day]);
    await roundTrips();
    expect(fake.count(path)).toBe(1);
    time += 1000;
    expect(await loaded()).toEqual(["first", 1]);
    await waitUntil(async () => (await loaded())[0] === "second");
    expect(await loaded()).toEqual(["second", 0]);
    expect(fake.count(path)).toBe(2);
  });

  it("serves for a month while its source fails, with its true age", async () => {
    await loaded();
    fake.fail("/endoflife/", status(503));
    for (const days of [1, 10, 29]) {
      time = Date.UTC(2026, 10, 20) + days * day;
      const before = fake.count(path);
      expect(await loaded()).toEqual(["first", days]);
      await waitUntil(() => fake.count(path) > before);
      // Its answer has come before the next step, which would join it else.
      await roundTrips();
    }
  });

  it("is not replaced by a document without products", async () => {
    await loaded();
    fake.serve(path, { text: sampleDocument([]) });
    time += 2 * day;
    await loaded();
    await waitUntil(() => fake.count(path) === 2);
    await roundTrips();
    expect(await loaded()).toEqual(["first", 2]);
  });

  it("is the same object until it changes, so that its index is made once", async () => {
    const [one, other] = await Promise.all([source.load(), source.load()]);
    expect(one.document).toBe(other.document);
  });
});

describe("the dataset that comes with the program", () => {
  it("serves while the source fails, which is told, and until a newer one has come", async () => {
    const restore = fake.fail("/endoflife/", status(503));
    expect(await loaded()).toEqual(["shipped", 90]);
    const { isShipped, failure } = await source.load();
    expect({ isShipped, failure }).toMatchObject({ isShipped: true, failure: { at: time } });
    restore();
    await waitUntil(async () => (await loaded())[0] === "first");
    expect(await source.load()).toMatchObject({ isShipped: false, observedAt: time });
  });

  it("serves at once while the source does not answer, and is waited for once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    fake.fail("/endoflife/", async (response) => {
      await promise;
      response.writeHead(200).end(sampleDocument([product("late", "Late", [release("1")])]));
    });
    expect(await loaded()).toEqual(["shipped", 90]);
    const before = performance.now();
    for (let count = 0; count < 5; count++) expect((await loaded())[0]).toBe("shipped");
    expect(performance.now() - before).toBeLessThan(900);
    resolve();
    await waitUntil(async () => (await loaded())[0] === "late");
  });

  it("beats a copy that is older than itself", async () => {
    time = shipped.observedAt - day;
    expect((await loaded())[0]).toBe("shipped");
    expect((await source.load()).isShipped).toBe(true);
  });

  it("is all there is where the source is off", async () => {
    const clock = { now: () => time };
    const off = new EolDatasetLoader({ client: undefined, clock, snapshot: () => shipped });
    expect(await off.load()).toBe(shipped);
    expect(fake.requests).toEqual([]);
  });
});
