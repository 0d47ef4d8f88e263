/** The board asks for what a server shows, and for all of it. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { errorCatalog } from "../../src/platform/errors.ts";
import { readQuery, type Matcher } from "./promql.ts";
import { scrapeBusyServer, type Series } from "./scraped-metrics.ts";

/** Of Grafana's format what this board uses. */
const datasource = z.object({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const place = z.object({ x: z.int(), y: z.int(), w: z.int().positive(), h: z.int().positive() });
const target = z.object({
  refId: z.string().regex(/^[A-Z]$/),
  datasource,
  expr: z.string().min(1),
  legendFormat: z.string().min(1),
});
const row = z.object({
  type: z.literal("row"),
  id: z.int(),
  title: z.string().min(1),
  gridPos: place,
});
const graph = z.object({
  type: z.literal("timeseries"),
  id: z.int(),
  title: z.string().min(1),
  datasource,
  gridPos: place,
  fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
  targets: z.array(target).min(1),
});
const variable = z.object({
  name: z.string(),
  type: z.string(),
  definition: z.string().optional(),
});
const boardSchema = z.object({
  uid: z.string().regex(/^[\w-]{1,40}$/),
  title: z.string().min(1),
  schemaVersion: z.int(),
  templating: z.object({ list: z.array(variable) }),
  panels: z.array(z.discriminatedUnion("type", [row, graph])),
});

const board = boardSchema.parse(JSON.parse(await readFile("deploy/grafana/causeway.json", "utf8")));
const queries = board.panels.flatMap((panel) =>
  panel.type === "row"
    ? []
    : panel.targets.map(({ expr, legendFormat }) => ({ title: panel.title, expr, legendFormat })),
);
/** What Prometheus adds to each series. */
const scraped = ["job", "instance"];

let shown: readonly Series[];

beforeAll(async () => {
  shown = await scrapeBusyServer();
}, 120_000);

function labelsOf(metric: string): Set<string> {
  const series = shown.filter(({ name }) => name === metric);
  return new Set([...scraped, ...series.flatMap(({ labels }) => Object.keys(labels))]);
}

/** Whether a matcher that names values names one that is there. */
function isFound(metric: string, { label, operator, value }: Matcher): boolean {
  if (value === "" || value.startsWith("$") || operator.startsWith("!")) return true;
  // Values that are no pattern are plain words here, which read the same as one.
  const pattern = new RegExp(`^(?:${value})$`);
  if (label === "code") return Object.keys(errorCatalog).some((code) => pattern.test(code));
  if (label === "status") return pattern.test("5xx");
  return shown.some(({ name, labels }) => name === metric && pattern.test(labels[label] ?? ""));
}

describe.each(queries)("$title: $expr", ({ expr, legendFormat }) => {
  it("names metrics, labels and values that a server shows", () => {
    const { selectors, labels } = readQuery(expr);
    expect(selectors).not.toEqual([]);
    for (const { metric, matchers } of selectors) {
      expect(shown.map(({ name }) => name)).toContain(metric);
      const known = labelsOf(metric);
      const named = [...matchers.map(({ label }) => label), ...labels];
      expect(named.filter((label) => !known.has(label))).toEqual([]);
      expect(matchers.filter((matcher) => !isFound(metric, matcher))).toEqual([]);
    }
  });

  it("has a legend of the labels that its result keeps", () => {
    const { labels, selectors } = readQuery(expr);
    const kept = labels.length > 0 || /^(?:sum|max|min|avg) \(/.test(expr) ? labels : scraped;
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(named.filter((label) => label === undefined || !kept.includes(label))).toEqual([]);
    expect(selectors.flatMap(({ matchers }) => matchers.map(({ label }) => label))).toEqual(
      expect.arrayContaining(scraped),
    );
  });
});

describe("the board", () => {
  it("asks for every metric of ours", () => {
    const asked = new Set(
      queries.flatMap(({ expr }) => readQuery(expr).selectors.map(({ metric }) => metric)),
    );
    const family = (name: string) => name.replace(/_(?:bucket|sum|count)$/, "");
    const families = new Set([...asked].map(family));
    const ours = shown.map(({ name }) => name).filter((name) => /^(?:causeway|gen_ai)_/.test(name));
    expect([...new Set(ours.map(family))].filter((name) => !families.has(name))).toEqual([]);
  });

  it("has variables for what its queries leave open, filled from series that are there", () => {
    const variables = board.templating.list;
    const open = queries.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, it]) => it));
    const names = new Set([...variables.map(({ name }) => name), "__rate_interval"]);
    expect(open.filter((name) => name === undefined || !names.has(name))).toEqual([]);
    for (const { definition } of variables.filter(({ type }) => type === "query")) {
      const [, selector = "", label = ""] =
        /^label_values\((.+), (\w+)\)$/.exec(definition ?? "") ?? [];
      const metric = readQuery(selector).selectors[0]?.metric ?? "";
      expect(shown.map(({ name }) => name)).toContain(metric);
      expect(labelsOf(metric)).toContain(label);
    }
  });

  it("has panels with ids of their own that do not lie on each other", () => {
    const { panels } = board;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});
