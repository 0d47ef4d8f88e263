/**
 * `npm run check:successors -- [ecosystem]`: asks the registries whether there is
 * what the curated entries name as successors, at their own addresses and as
 * gently as the service does. Ends with 1 where one is not there.
 */
import { pino } from "pino";
import {
  curatedMaintainerStatements,
  type CuratedPackageEntry,
} from "../src/depshealth/curated/entries.ts";
import { createPackageFactsComponents } from "../src/depshealth/open-package-facts.ts";
import { monotonicClock, systemClock } from "../src/platform/clock.ts";
import { Dialer } from "../src/platform/dial/dialer.ts";

const [ecosystem] = process.argv.slice(2);

/** Where names of public registries lead to private addresses. */
const allow = (process.env["CAUSEWAY_UPSTREAM_ALLOW"] ?? "").split(",").filter(Boolean);
const dialer = new Dialer({ allow, operatorAddresses: [], connectMs: 10_000 });
const names = ["osv", "depsdev", "ecosystems", "github", "gitlab", "forgejo", "endoflife"];
const opened = createPackageFactsComponents({
  dialer,
  store: {
    read: async () => new Map(),
    write: () => {},
    deleteExpired: async () => {},
    close: async () => {},
  },
  clock: systemClock,
  throttleClock: monotonicClock,
  log: pino({ level: "warn" }),
  packageSources: {
    registries: {},
    sources: Object.fromEntries(names.map((name) => [name, "off"])),
    githubToken: undefined,
  },
  npmRegistries: [],
  userAgent: "causeway-check-successors",
});

const asked = curatedMaintainerStatements
  .filter((entry) => entry.replacement !== undefined)
  .filter((entry) => ecosystem === undefined || entry.ecosystem === ecosystem);
const found: Record<string, number> = {};
for (const entry of asked) {
  const existence = await existenceOf(entry);
  found[existence] = (found[existence] ?? 0) + 1;
  if (existence !== "found") {
    console.log(`${entry.ecosystem} ${entry.replacement} of ${entry.name}: ${existence}`);
    process.exitCode = 1;
  }
}
console.log(found);
await opened.close();
await dialer.close();

async function existenceOf({
  ecosystem: of,
  replacement = "",
}: CuratedPackageEntry): Promise<string> {
  const references = [{ ecosystem: of, name: replacement }];
  const [known] = await opened.facts.gather(references, { detail: "verdict" });
  return known?.existence ?? "undetermined";
}
