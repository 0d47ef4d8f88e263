import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { execute } from "../../support/test-database.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { product, release, sampleDocument, sampleProducts } from "../eol/sample.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
});

afterAll(() => tools.close());

const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

describe("runtime_eol", () => {
  it("answers with every field of the contract", async () => {
    const { status, body } = await tools.tool("runtime_eol", {
      product: "Node",
      cycle: "v20.11.1",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: "runtime_eol",
      product: "nodejs",
      label: "Node.js",
      aliases: ["node", "node.js"],
      cycles: [
        {
          cycle: "20",
          verdict: "eol",
          latest_patch: "20.9.0",
          latest_patch_at: "2026-07-01T00:00:00.000Z",
          lts: true,
          released_at: "2024-04-24T00:00:00.000Z",
          support_ends_at: "2024-10-22T00:00:00.000Z",
          eol_at: "2026-04-30T00:00:00.000Z",
          days_to_eol: expect.any(Number),
        },
      ],
      dataset: { fetched_at: time, products: sampleProducts.length },
      checked_at: time,
      data_as_of: body.dataset.fetched_at,
      data_age: `The data is of ${body.data_as_of.slice(0, 10)}, less than a day old.`,
    });
    expect(body.cycles[0].days_to_eol).toBeLessThan(0);
  });

  it("[tools.eol-cycle] reports every cycle where none is named, null for what is not known", async () => {
    const { body } = await tools.tool("runtime_eol", { product: "go", cycle: "" });
    expect(body.cycles.map(({ cycle }: { cycle: string }) => cycle)).toEqual(["1.26", "1.24"]);
    expect(body.cycles[1]).toEqual({
      cycle: "1.24",
      verdict: "eol",
      latest_patch: null,
      latest_patch_at: null,
      lts: false,
      released_at: "2024-04-24T00:00:00.000Z",
      support_ends_at: null,
      eol_at: null,
      days_to_eol: null,
    });
  });

  it("[eol.cycles] leaves out what ended more than a year ago where the current cycles are asked for", async () => {
    const other = await startTools();
    const ended = (name: string, days: number) =>
      release(name, { eolFrom: daysAgo(days).slice(0, 10) });
    const lived = [
      release("5"),
      ended("4", -10),
      ended("3", 300),
      ended("2", 400),
      ended("1", 900),
    ];
    const products = [product("lived", "Lived", lived), product("over", "Over", [ended("9", 500)])];
    const text = sampleDocument(products);
    other.fake.serve("/endoflife/api/v1/products/full", { text });
    const ask = async (body: Record<string, unknown>) => {
      const answer = await other.tool("runtime_eol", { product: "lived", ...body });
      return answer.body.cycles?.map(({ cycle }: { cycle: string }) => cycle) ?? answer.body.param;
    };
    expect(await ask({})).toEqual(["5", "4", "3", "2", "1"]);
    expect(await ask({ cycles: "all" })).toEqual(["5", "4", "3", "2", "1"]);
    expect(await ask({ cycles: "current" })).toEqual(["5", "4", "3"]);
    expect(await ask({ cycles: "current", cycle: "1" })).toEqual(["1"]);
    expect(await ask({ cycles: "current", product: "over" })).toEqual(["9"]);
    expect(await ask({ cycles: "some" })).toBe("cycles");
    await other.close();
  });

  it("[tools.errors] [tools.eol-unknown] is 404 for an unknown product or cycle, with the nearest names", async () => {
    const unknown = await tools.tool("runtime_eol", { product: "pyhton" });
    expect(unknown).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(unknown.body.suggestions[0]).toBe("python");
    const cycle = await tools.tool("runtime_eol", { product: "python", cycle: "3.12" });
    expect(cycle).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(cycle.body.suggestions).toContain("3.11");
  });

  it.each([
    ["no product", {}, "product"],
    ["[tools.limit-product] an empty product", { product: "" }, "product"],
    [
      "[tools.eol-product] [tools.limit-product] a long product",
      { product: "x".repeat(61) },
      "product",
    ],
    [
      "[tools.eol-cycle] [tools.limit-cycle] a long cycle",
      { product: "node", cycle: "2".repeat(31) },
      "cycle",
    ],
    ["a further property", { product: "node", version: "22" }, "version"],
    ["[tools.limit-context] an empty goal", { product: "node", task_context: "" }, "task_context"],
    [
      "[tools.limit-context] a long goal",
      { product: "node", task_context: "x".repeat(501) },
      "task_context",
    ],
    ["no text", { product: 22 }, "product"],
  ])("refuses %s", async (_what, body, param) => {
    const answer = await tools.tool("runtime_eol", body);
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
  });
});

describe("the dataset", () => {
  const path = "/endoflife/api/v1/products/full";

  it("is fetched once for all who ask at the same time, and serves from memory after that", async () => {
    const other = await startTools();
    const ask = () => other.tool("runtime_eol", { product: "node" });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await ask();
    expect(other.fake.count(path)).toBe(1);
    await other.close();
  });

  it("is found below an address that holds the path of the interface already", async () => {
    const fake = await startFakeSources();
    const other = await startTools({
      fake,
      settings: { sources: { endoflife: `${fake.origin}/data` } },
    });
    fake.serve("/data/products/full", {
      text: sampleDocument([product("only", "Only", [release("1")])]),
    });
    expect((await other.tool("runtime_eol", { product: "only" })).status).toBe(200);
    await other.close();
  });

  it("[tools.eol-fields] survives a restart, and serves although its source is away, with its age", async () => {
    const fake = await startFakeSources();
    const first = await startTools({ fake });
    const { body: before } = await first.tool("runtime_eol", { product: "node" });
    const second = await startTools({
      fake,
      environment: { DATABASE_URL: first.causeway.connectionString },
    });
    // A day and more has passed, and the source does not answer.
    await execute(
      first.causeway.connectionString,
      "update dependency_cache set fresh_until = now() - interval '1 hour'",
    );
    fake.fail("/endoflife/", status(500));
    const { status: code, body } = await second.tool("runtime_eol", { product: "node" });
    expect([code, body.dataset]).toEqual([200, before.dataset]);
    await second.causeway.close();
    await first.close();
  });

  it.each([
    ["its source fails", {}, true],
    ["its source is off", { sources: { endoflife: "off" } }, false],
  ])(
    "[file.sources] comes with the program, and says how old it is, where %s",
    async (_why, settings, isAsked) => {
      const fake = await startFakeSources();
      fake.fail("/endoflife/", status(500));
      const other = await startTools({ fake, settings });
      const { status: code, body } = await other.tool("runtime_eol", {
        product: "node",
        cycle: "22",
      });
      expect(code).toBe(200);
      expect(body.cycles).toMatchObject([{ cycle: "22", eol_at: "2027-04-30T00:00:00.000Z" }]);
      expect(body.dataset).toEqual({ fetched_at: body.data_as_of, products: expect.any(Number) });
      expect(body.dataset.products).toBeGreaterThan(400);
      const [day] = body.data_as_of.split("T");
      expect(body.data_age).toMatch(
        new RegExp(`^The data is of ${day}, .+ old: it came with this version of Causeway, `),
      );
      expect(fake.count("/endoflife/") > 0).toBe(isAsked);
      await other.close();
    },
  );

  it("that came with the program is replaced once its source can be reached", async () => {
    const other = await startTools();
    const restore = other.fake.fail("/endoflife/", status(500));
    const ask = async () => (await other.tool("runtime_eol", { product: "node" })).body;
    expect((await ask()).data_age).toContain("it came with this version");
    restore();
    await waitUntil(async () => (await ask()).dataset.products === sampleProducts.length);
    expect((await ask()).data_age).toMatch(/, less than a day old\.$/);
    await other.close();
  });
});
