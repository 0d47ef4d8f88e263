import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { startFakeSources } from "../../support/fake-sources/fake-sources.ts";
import { memoryStore, openFacts, today } from "../../support/fake-sources/open-facts.ts";

const packages = 17;
const versions = 25_000;
const hour = 60 * 60_000;

/** The cached document of a package with as many versions as are read. */
function largeDocument(name: string, count = versions): string {
  return JSON.stringify({
    name,
    versions: Array.from({ length: count }, (_, index) => ({
      version: `1.${count - index}.0`,
      stable: true,
      releasedAt: today - index * hour,
      license: "Apache-2.0 OR MIT",
      ...(index > 0 && { deprecation: { message: `Version ${index} is not supported.` } }),
    })),
    tags: {},
    maintainersCount: 1,
    links: [],
    isUnpublished: false,
  });
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

it("holds the versions of a few large packages at a time, and gathers all of them", async () => {
  const fake = await startFakeSources();
  const store = memoryStore();
  const facts = openFacts(fake, { off: ["osv", "depsdev", "ecosystems", "github"], store });
  const names = Array.from({ length: packages }, (_, index) => `large-${index}`);
  const times = {
    observedAt: new Date(today),
    freshUntil: new Date(today + hour),
    keptUntil: new Date(today + 2 * hour),
  };
  for (const name of names) {
    const id = `npm.package.4 ${fake.configuration().registries["npm"]}/${name}`;
    const document = largeDocument(name);
    store.write({ id, document, etag: null, lastModified: null, ...times });
  }
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const references = names.map((name) => ({ ecosystem: "npm" as const, name, version: "1.7.0" }));
  const found = await facts.facts.gatherEach(references, { detail: "verdict" }, (info, index) => {
    // Collecting garbage takes a while.
    if (index % 4 === 0) {
      collectGarbage();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
    return [index, info.versions.length, info.version, info.versionFound, info.latestVersion];
  });
  expect(found).toEqual(names.map((_, index) => [index, versions, "1.7.0", true, "1.25000.0"]));
  expect(most).toBeLessThan(64 * 1024 * 1024);
  expect(fake.requests).toHaveLength(0);
  await facts.close();
  await fake.close();
});

it("lets other work run between two packages with many versions", async () => {
  const fake = await startFakeSources();
  const store = memoryStore();
  const facts = openFacts(fake, { off: ["osv", "depsdev", "ecosystems", "github"], store });
  const names = Array.from({ length: 5 }, (_, index) => `large-${index}`);
  const times = {
    observedAt: new Date(today),
    freshUntil: new Date(today + hour),
    keptUntil: new Date(today + 2 * hour),
  };
  for (const name of names) {
    const id = `npm.package.4 ${fake.configuration().registries["npm"]}/${name}`;
    const document = largeDocument(name, 2000);
    store.write({ id, document, etag: null, lastModified: null, ...times });
  }
  let turn = 0;
  const count = () => {
    turn += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const references = names.map((name) => ({ ecosystem: "npm" as const, name, version: "9" }));
  const turns = await facts.facts.gatherEach(references, { detail: "verdict" }, () => turn);
  clearImmediate(next);
  expect(new Set(turns).size).toBe(names.length);
  await facts.close();
  await fake.close();
});
