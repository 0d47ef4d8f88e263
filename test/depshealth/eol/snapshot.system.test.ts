import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  decideEolCycleVerdict,
  hasEolDatePassed,
} from "../../../src/depshealth/eol/cycle-verdict.ts";
import type { EolCycle } from "../../../src/depshealth/eol/dataset.ts";
import { describeEolDatasetAge } from "../../../src/depshealth/eol/describe-age.ts";
import { lookUpRuntimeEol } from "../../../src/depshealth/eol/runtime-eol.ts";
import { parseEolSnapshotLine } from "../../../src/depshealth/eol/snapshot/product-line.ts";
import { readEolSnapshot } from "../../../src/depshealth/eol/snapshot/read-snapshot.ts";
import { repository } from "../../support/causeway-process.ts";
import { readDataset } from "./read-sample.ts";
import { sampleDocument } from "./sample.ts";

describe("the snapshot that comes with the program", () => {
  const snapshot = readEolSnapshot();

  it("says of when it is, and under which licence", async () => {
    expect(snapshot.isShipped).toBe(true);
    expect(snapshot.observedAt).toBeGreaterThan(Date.UTC(2026, 7, 1));
    expect(snapshot.observedAt).toBeLessThan(Date.now());
    const folder = join(repository, "src/depshealth/eol/snapshot");
    const [head = ""] = (await readFile(join(folder, "products.jsonl"), "utf8")).split("\n", 1);
    expect(JSON.parse(head)).toMatchObject({ source: "https://endoflife.date", licence: "MIT" });
    expect(await readFile(join(folder, "LICENSE"), "utf8")).toContain(
      "endoflife.date contributors",
    );
  });

  it.each([
    ["node", "22", "2027-04-30"],
    ["python", "3.10", "2026-10-31"],
    ["pg", "14", "2026-11-12"],
    ["ubuntu", "20.04", "2025-05-31"],
  ])("knows when the life of %s %s ends", (product, cycle, day) => {
    const [found] = lookUpRuntimeEol(snapshot, { product, cycle }).cycles;
    expect(found?.end.day).toBe(day);
  });

  it("has a name for every product, and days that are days", () => {
    const { products } = snapshot.document;
    expect(products.length).toBeGreaterThan(400);
    const cycles = products.flatMap((product) => product.cycles);
    const days = cycles.flatMap(({ lts, end, releasedOn }) => [lts.day, end.day, releasedOn]);
    const odd = days.filter((day) => day !== null && !/^\d{4}-\d\d-\d\d$/.test(day));
    expect([products.filter(({ name }) => name === ""), odd]).toEqual([[], []]);
  });
});

describe("npm run snapshot:eol", () => {
  const run = promisify(execFile);
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "causeway-snapshot-"));
  });

  afterAll(() => rm(directory, { recursive: true }));

  /** What answers are made of; a flag beside a day is not. */
  function factsOf(cycle: EolCycle) {
    const { name, latest, releasedOn, supportEnd, end, lts } = cycle;
    const verdict = decideEolCycleVerdict(cycle, "2026-11-20");
    return [
      name,
      verdict,
      latest,
      releasedOn,
      supportEnd?.day,
      end.day,
      hasEolDatePassed(lts, "2026-11-20"),
    ];
  }

  async function snapshotOf(document: string): Promise<string> {
    const [source, target] = ["document.json", "products.jsonl"].map((it) => join(directory, it));
    await writeFile(source ?? "", document);
    const script = join(repository, "scripts/snapshot-eol.ts");
    await run(process.execPath, [script, source ?? "", target ?? ""]);
    return readFile(target ?? "", "utf8");
  }

  it("writes what the answers need of the source's document, a line for each product", async () => {
    const [head = "", ...lines] = (await snapshotOf(sampleDocument())).trimEnd().split("\n");
    expect(JSON.parse(head)).toMatchObject({ as_of: "2026-08-22T08:52:34.000Z" });
    const { products } = await readDataset();
    const read = lines.map(parseEolSnapshotLine);
    const [written, expected] = [read, products].map((all) =>
      all.map(({ cycles, ...product }) => ({ ...product, cycles: cycles.map(factsOf) })),
    );
    expect(written).toEqual(expected);
  });

  it("refuses a document that does not say of when it is", async () => {
    const undated = sampleDocument().replace("generated_at", "made_at");
    await expect(snapshotOf(undated)).rejects.toThrow("generated_at");
  });
});

describe("the age of the data", () => {
  const observedAt = Date.UTC(2026, 7, 22, 8);
  const day = 86_400_000;

  it.each([
    [-day, "less than a day"],
    [day - 1, "less than a day"],
    [day, "1 day"],
    [90.5 * day, "90 days"],
  ])("after %d ms is %s", (passed, words) => {
    const loaded = { document: { products: [] }, observedAt, isShipped: false };
    const sentence = `The data is of 2026-08-22, ${words} old.`;
    expect(describeEolDatasetAge(loaded, observedAt + passed)).toBe(sentence);
  });
});
