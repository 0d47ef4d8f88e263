import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { startFakeSources } from "../../support/fake-sources/fake-sources.ts";
import { openFacts } from "../../support/fake-sources/open-facts.ts";

/** A package document of 21 MB: 3000 versions with what nobody needs of them. */
function largeDocument(): Buffer {
  const filler = {
    dist: { shasum: "0".repeat(40), signatures: [{ sig: "s".repeat(200) }] },
    readme: "r".repeat(6800),
  };
  const versions = Array.from({ length: 3000 }, (_, index) => [
    `1.${index}.0`,
    { name: "large", version: `1.${index}.0`, ...filler, ...(index < 10 && { deprecated: "old" }) },
  ]);
  const times = Array.from({ length: 3000 }, (_, index) => [
    `1.${index}.0`,
    new Date(Date.UTC(2020, 0, 1) + index * 60_000).toISOString(),
  ]);
  return Buffer.from(
    JSON.stringify({
      name: "large",
      "dist-tags": { latest: "1.2999.0" },
      versions: Object.fromEntries(versions),
      time: Object.fromEntries(times),
      maintainers: [{ name: "a" }],
    }),
  );
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

it.each([false, true])(
  "reads 21 MB without holding more than 64 MB (compressed: %s)",
  async (isZipped) => {
    const fake = await startFakeSources();
    const facts = openFacts(fake, { off: ["osv", "depsdev", "ecosystems", "github"] });
    const document = largeDocument();
    expect(document.length).toBeGreaterThan(21_000_000);
    const headers = isZipped ? { "content-encoding": "gzip" } : {};
    fake.serve("/npm/large", { text: isZipped ? gzipSync(document) : document, headers });
    collectGarbage();
    const held = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = held();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, held() - before)), 2);
    const known = await facts.one({ ecosystem: "npm", name: "large" });
    clearInterval(watch);
    expect(known).toMatchObject({ existence: "found", latestVersion: "1.2999.0" });
    expect(known.versions).toHaveLength(3000);
    expect(known.versions.filter(({ deprecation }) => deprecation !== undefined)).toHaveLength(10);
    expect(most).toBeLessThan(64 * 1024 * 1024);
    await facts.close();
    await fake.close();
  },
);
