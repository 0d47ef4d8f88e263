import { beforeAll, describe, expect, it } from "vitest";
import {
  decideEolCycleVerdict,
  countDaysToEol,
  hasEolDatePassed,
} from "../../../src/depshealth/eol/cycle-verdict.ts";
import type { EolCycle, EolDataset } from "../../../src/depshealth/eol/dataset.ts";
import { editDistance } from "../../../src/platform/find-nearest.ts";
import {
  lookUpRuntimeEol,
  type MatchedEolProductCycles,
} from "../../../src/depshealth/eol/runtime-eol.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { readDataset } from "./read-sample.ts";
import { product, release, sampleDocument } from "./sample.ts";

const today = "2026-11-20";
const observedAt = Date.parse("2026-11-20T03:00:00Z");
let dataset: EolDataset;

beforeAll(async () => {
  dataset = await readDataset();
});

function ask(name: string, cycle?: string): MatchedEolProductCycles {
  const loaded = { document: dataset, observedAt, isShipped: false };
  return lookUpRuntimeEol(loaded, { product: name, cycle });
}

function oneCycle(name: string, cycle: string): EolCycle {
  const [found] = ask(name, cycle).cycles;
  if (found === undefined) throw new Error("no cycle");
  return found;
}

function refusal(name: string, cycle?: string): ApiError {
  try {
    ask(name, cycle);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  return expect.fail("it was found");
}

describe("[health.eol] the verdict on a cycle", () => {
  it.each([
    ["nodejs", "20", "eol", -204],
    ["nodejs", "22", "security-only", 161],
    ["nodejs", "24", "security-only", 528],
    ["nodejs", "26", "supported", 892],
    ["python", "3.10", "eol", -20],
    ["python", "3.13", "security-only", 1076],
    ["go", "1.26", "supported", undefined],
    ["go", "1.24", "eol", undefined],
    ["windows", "10-22h2", "eol", -402],
  ])("[verdict.cycles] of %s %s is %s", (name, cycle, verdict, days) => {
    const found = oneCycle(name, cycle);
    expect([decideEolCycleVerdict(found, today), countDaysToEol(found, today)]).toEqual([
      verdict,
      days,
    ]);
  });

  it("changes on the day after the last", () => {
    const cycle = oneCycle("nodejs", "20");
    expect([
      decideEolCycleVerdict(cycle, "2026-04-30"),
      countDaysToEol(cycle, "2026-04-30"),
    ]).toEqual(["security-only", 0]);
    expect([
      decideEolCycleVerdict(cycle, "2026-05-01"),
      countDaysToEol(cycle, "2026-05-01"),
    ]).toEqual(["eol", -1]);
  });

  it("goes by dates before flags, which were true on the day of the dataset only", () => {
    expect(oneCycle("python", "3.10").end).toEqual({ day: "2026-10-31", flag: false });
    expect(decideEolCycleVerdict(oneCycle("python", "3.10"), "2026-11-01")).toBe("eol");
    expect(decideEolCycleVerdict(oneCycle("nodejs", "20"), "2024-01-01")).toBe("supported");
  });

  it("long-term support begins after its day and stays", () => {
    const { lts } = oneCycle("nodejs", "26");
    expect(
      ["2026-10-28", "2026-10-29", "2030-01-01"].map((day) => hasEolDatePassed(lts, day)),
    ).toEqual([false, true, true]);
  });
});

describe("a product", () => {
  it.each(["nodejs", "node", "NodeJS", "node.js", " node "])(
    "[tools.eol-product] is found as %j",
    (name) => {
      expect(ask(name).product).toMatchObject({ name: "nodejs", label: "Node.js" });
    },
  );

  it("has all its cycles, newest first, and the age of the dataset", () => {
    const answer = ask("node");
    expect(answer.cycles.map(({ name }) => name)).toEqual(["26", "24", "22", "20"]);
    expect(answer.dataset).toMatchObject({ document: dataset, observedAt });
  });

  it.each([
    ["nodjs", "nodejs"],
    ["pyhton", "python"],
    ["jdk", "oracle-jdk"],
    ["Log4", "log4j"],
  ])("%s is unknown, and %s is suggested first", (name, suggestion) => {
    const { code, status, suggestions } = refusal(name);
    expect([code, status, suggestions?.[0]]).toEqual(["not_found", 404, suggestion]);
    expect(suggestions?.length).toBeLessThanOrEqual(5);
  });

  it.each(["__proto__", "constructor", "toString"])("%s is unknown like any other", (name) => {
    expect(refusal(name).code).toBe("not_found");
  });
});

describe("a cycle", () => {
  it.each([
    ["node", "22", "22"],
    ["node", "v22", "22"],
    ["node", "v22.11.0", "22"],
    ["node", "22.11.0", "22"],
    ["node", "V22.X", "22"],
    ["python", "3.11.4", "3.11"],
    ["python", " 3.11 ", "3.11"],
    ["windows", "10-22H2", "10-22h2"],
  ])("of %s is found by the version %j", (name, text, cycle) => {
    expect(ask(name, text).cycles.map((it) => it.name)).toEqual([cycle]);
  });

  it.each([
    ["python", "3", ["3.10", "3.11", "3.13"]],
    ["python", "3.1", ["3.10", "3.11", "3.13"]],
    ["windows", "10", ["10-22h2"]],
    ["node", "21", ["20", "22", "24", "26"]],
    ["node", "", ["20", "22", "24", "26"]],
  ])("of %s is unknown as %j and answered with the nearest", (name, text, suggestions) => {
    const error = refusal(name, text);
    expect([error.code, error.status]).toEqual(["not_found", 404]);
    expect(error.suggestions?.toSorted()).toEqual(suggestions);
  });
});

describe("a dataset", () => {
  it("is read although parts of it are odd", async () => {
    const odd = [
      null,
      7,
      { label: "no name" },
      product("left", "Left", [release("1", { eolFrom: "soon", latest: { name: 3 } })], {
        label: null,
        aliases: "x",
        identifiers: [{ type: "purl" }],
      }),
      { name: "right", releases: [{}, null] },
    ];
    const { products } = await readDataset(sampleDocument(odd));
    expect(products.map(({ name, label }) => [name, label])).toEqual([
      ["left", "left"],
      ["right", "right"],
    ]);
    expect(products[0]?.cycles[0]).toMatchObject({ end: { day: null, flag: false }, latest: null });
    expect(products[1]?.cycles).toEqual([]);
  });

  it.each([
    ["2026-11-28", "2026-11-28"],
    ["2026-11-28T12:00:00Z", "2026-11-28"],
    ["2026-11-28T23:30:00.5-02:00", "2026-11-29"],
    ["2026-11-28T00:30:00+0100", "2026-11-27"],
    ["2026-11-28T23:30:00", "2026-11-28"],
    ["2026-11-28 12:00:00 UTC", null],
    ["2026-02-30", null],
    ["2026-02-30T12:00:00Z", null],
    ["2026-11", null],
  ])("takes the date %s as the day %s, UTC", async (text, day) => {
    const dates = { releaseDate: text, ltsFrom: text, eoasFrom: text, eolFrom: text };
    const cycle = release("1", { ...dates, latest: { name: "1.1", date: text } });
    const { products } = await readDataset(sampleDocument([product("left", "Left", [cycle])]));
    expect(products[0]?.cycles[0]).toMatchObject({
      releasedOn: day,
      lts: { day },
      supportEnd: { day },
      end: { day },
      latest: { releasedOn: day },
    });
  });

  it.each(["{}", '{"result": []}', '{"result": {}}', "[]"])(
    "without products is unreadable: %s",
    async (text) => {
      await expect(readDataset(text)).rejects.toThrow("unreadable");
    },
  );

  it.each(['{"result": [{"name": "a"', "<html>"])(
    "that is broken is no dataset: %s",
    async (text) => {
      await expect(readDataset(text)).rejects.toThrow("document");
    },
  );
});

describe("the distance of two words", () => {
  it.each([
    ["", "", 0],
    ["a", "", 1],
    ["node", "node", 0],
    ["node", "mode", 1],
    ["node", "ndoe", 1],
    ["kitten", "sitting", 3],
  ])("between %j and %j is %d", (left, right, distance) => {
    expect([editDistance(left, right), editDistance(right, left)]).toEqual([distance, distance]);
  });
});
