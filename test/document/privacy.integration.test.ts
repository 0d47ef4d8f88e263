/** Nothing of a value is kept, wherever in a capture it stood. */
import { inflateRawSync } from "node:zlib";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeLearnedPathTree } from "../../src/document/state/encode-node.ts";
import { learnPathTreeFromHar } from "../../src/document/state/learn-capture.ts";
import type { LearnedPathNode } from "../../src/document/state/path-node.ts";
import { selectRows } from "../support/select-rows.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { canaryHar } from "./canary-har.ts";
import { documentText } from "./learned-document.ts";

const letters = "bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ0123456789".split("");

/** Values that can be told from names. */
const marked = fc.oneof(
  fc.uuid(),
  fc
    .array(fc.constantFrom(..."0123456789abcdef".split("")), { minLength: 24, maxLength: 40 })
    .map((digits) => `7${digits.join("")}3`),
  fc
    .array(fc.constantFrom(...letters), { minLength: 12, maxLength: 30 })
    .map((parts) => `q7${parts.join("")}9Z`),
  fc.nat(10 ** 9).map((number) => (number + 10 ** 9).toString()),
  fc.constantFrom(
    "zoltan.quibbleworth@example.org",
    "Zoltan Quibbleworth",
    "sk-live-8Hq2ZpT0",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiI4MTcifQ.",
    "203.0.113.77",
    "+49 30 5550123",
    "DE44500105175407324931",
  ),
);

/** Values in places where nothing but a value can stand. */
const plain = fc.oneof(marked, fc.constantFrom("marigold", "zanzibar", "Quibbleworth"));

function expectNoPartOf(canary: string, text: string): void {
  const found = partsOf(canary).filter((part) => text.includes(part));
  expect(found, `parts of ${canary}`).toEqual([]);
}

/** Every four characters that stand together in it, escaped as JSON has them. */
function partsOf(canary: string): string[] {
  return Array.from({ length: canary.length - 3 }, (_, index) => canary.slice(index, index + 4));
}

const forbidden = /"(?:examples?|default|enum|const|pattern|minimum|maximum)":/;

describe("a document", () => {
  it("[document.no-values] holds no part of a value, and neither does what is stored", () => {
    fc.assert(
      fc.property(marked, plain, (name, value) => {
        const node = learnPathTreeFromHar(bytesOf(canaryHar({ name, value })));
        // Which hosts there were is kept, sealed: one of them is shown.
        const stored = [...node.children.values()].map((below) => inflated(below));
        const texts = [documentText(node, "https://api.test"), ...stored].map(withoutDays);
        for (const text of texts) {
          expectNoPartOf(name, text);
          expectNoPartOf(value, text);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("[learned.no-values] holds no keyword that is learned from values", () => {
    fc.assert(
      fc.property(marked, (value) => {
        const node = learnPathTreeFromHar(bytesOf(canaryHar({ name: value, value })));
        expect(documentText(node, "https://api.test")).not.toMatch(forbidden);
      }),
      { numRuns: 20 },
    );
  });

  it("does show names, so that the gate is one", () => {
    const node = learnPathTreeFromHar(
      bytesOf(canaryHar({ name: "tenantRegion", value: "quartz" })),
    );
    const text = documentText(node, "https://api.test");
    expect(text).toContain("tenantRegion");
    expect(text).not.toContain("quartz");
  });
});

describe("the server", () => {
  let causeway: TestInstance;

  beforeAll(async () => {
    causeway = await startTestInstance({ own: true });
  });

  afterAll(() => causeway.close());

  it("[learned.names] keeps no part of a value in its tables, logs, metrics and answers", async () => {
    const canary = { name: "q7Xk29Zr81Tb", value: "marigold-Quibble" };
    const asOperator = { token: causeway.adminToken };
    const traffic = "/v1/admin/services/canary/traffic";
    await causeway.call("POST", traffic, { ...asOperator, body: canaryHar(canary) });
    const broken = { log: { entries: [{ ...canary }] } };
    const refused = await causeway.call("POST", traffic, { ...asOperator, body: broken });
    const body = { title: "Canary", base_url: "https://api.test" };
    await causeway.call("POST", "/v1/admin/services/canary/ship", { ...asOperator, body });
    const texts = [
      JSON.stringify(refused.body),
      ...(await Promise.all(
        [
          "/docs/services/canary.json",
          "/docs/services/canary",
          "/v1/admin/services",
          "/v1/admin/services/canary",
          "/v1/admin/audit",
          "/metrics",
        ].map(async (path) => JSON.stringify((await causeway.call("GET", path, asOperator)).body)),
      )),
      await allRows(causeway.connectionString),
      JSON.stringify(causeway.logLines()),
    ];
    expect(texts.join("\n")).toContain("/v1/customers");
    for (const text of texts) {
      expectNoPartOf(canary.name, text);
      for (const part of ["marigold", "Quibble"]) expect(text).not.toContain(part);
    }
  });
});

/** Every row of every table, as text. */
async function allRows(connectionString: string): Promise<string> {
  const tables = await selectRows(
    connectionString,
    "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const texts = await Promise.all(
    tables.map(({ name }) => selectRows(connectionString, `select t::text from ${String(name)} t`)),
  );
  return JSON.stringify(texts);
}

/** The days of the captures are told. */
function withoutDays(text: string): string {
  return text.replaceAll(/"\d{4}-\d{2}-\d{2}"/g, '""');
}

/** Without the hashes of entries, whose digits may be anybody's. */
function inflated(node: LearnedPathNode): string {
  return inflateRawSync(encodeLearnedPathTree(node))
    .toString()
    .replaceAll(/"[0-9a-f]{16}"/g, '""');
}

function bytesOf(har: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(har));
}
