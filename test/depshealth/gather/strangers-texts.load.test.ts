import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PackageInfo, PackageReference } from "../../../src/depshealth/facts.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import {
  serveCargo,
  serveGoProxy,
  serveGoSite,
  serveMaven,
  serveNpm,
  serveNuget,
  servePackagist,
  servePypi,
} from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";

const at = "2026-01-01T00:00:00Z";
/** What a log takes for commands, and a terminal for more. */
const words = "gone\n::stop-commands::x\r\n\u001b[2J\u2028".repeat(60);
const endless = `${words}${"x".repeat(1_000_000)}`;

let fake: FakeSources;
let facts: FactsUnderTest;

beforeAll(async () => {
  fake = await startFakeSources();
  facts = openFacts(fake, { off: ["ecosystems", "depsdev"] });
});

afterAll(async () => {
  await facts.close();
  await fake.close();
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** A word of the text became a fact, and nothing of it that an answer must not hold. */
function expectShort(known: PackageInfo): void {
  const texts = textsIn(known);
  expect(texts.some((text) => text.includes("gone"))).toBe(true);
  for (const text of texts) {
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  }
}

const v1 = { version: "1.0.0", at };

const publishers: readonly (readonly [string, PackageReference, (text: string) => void])[] = [
  [
    "npm's mark of a version",
    { ecosystem: "npm", name: "marked" },
    (text) =>
      serveNpm(fake, { name: "marked", versions: [{ ...v1, deprecated: text, license: text }] }),
  ],
  [
    "a go.mod's mark",
    { ecosystem: "go", name: "example.com/marked" },
    (text) =>
      serveGoProxy(
        fake,
        { name: "example.com/marked", versions: [{ version: "v1.0.0", at }] },
        `// Deprecated: ${text
          .split(/[\r\n]+/)
          .flatMap((line) => line.match(/.{1,900}/gu) ?? [])
          .join("\n// ")}\nmodule example.com/marked\n`,
      ),
  ],
  [
    "the mark and the retraction on the site of Go packages",
    { ecosystem: "go", name: "example.com/site" },
    (text) =>
      serveGoSite(fake, {
        name: "example.com/site",
        versions: [{ version: "v1.0.0", at, yanked: text }],
        extra: { deprecated: text },
      }),
  ],
  [
    "a crate's reason to yank",
    { ecosystem: "cargo", name: "marked" },
    (text) => serveCargo(fake, { name: "marked", versions: [{ ...v1, yanked: text }] }),
  ],
  [
    "PyPI's status and a reason to yank",
    { ecosystem: "pypi", name: "marked" },
    (text) =>
      servePypi(fake, {
        name: "marked",
        versions: [{ ...v1, yanked: text }],
        extra: { status: { status: "deprecated", reason: text } },
      }),
  ],
  [
    "a NuGet message and its alternative",
    { ecosystem: "nuget", name: "Marked" },
    (text) =>
      serveNuget(fake, {
        name: "Marked",
        versions: [{ ...v1, deprecated: { message: text, alternatePackage: { id: text } } }],
      }),
  ],
  [
    "the successor of an abandoned Composer package",
    { ecosystem: "packagist", name: "a/marked" },
    (text) =>
      servePackagist(fake, { name: "a/marked", versions: [v1], extra: { abandoned: text } }),
  ],
  [
    "the message of a Maven relocation",
    { ecosystem: "maven", name: "org.example:marked" },
    (text) => {
      const message = text.replaceAll("\u001b", "");
      const relocation = `<relocation><artifactId>new</artifactId><message>${message}</message></relocation>`;
      serveMaven(fake, {
        name: "org.example:marked",
        versions: [v1],
        extra: { pom: `<distributionManagement>${relocation}</distributionManagement>` },
      });
    },
  ],
  [
    "an advisory",
    { ecosystem: "npm", name: "hit" },
    (text) => {
      serveNpm(fake, { name: "hit", versions: [v1] });
      const advisory = { id: "GHSA-1", aliases: [text, "CVE-1"], summary: text, fixed: text };
      serveOsv(fake, { "npm/hit@1.0.0": [advisory] });
    },
  ],
];

describe("a fact", () => {
  it.each(publishers)("holds one line of at most 1000 characters of %s", async (...given) => {
    const [, reference, serve] = given;
    serve(endless);
    expectShort(await facts.one(reference));
  });

  it("marks a version whose publisher wrote control characters alone", async () => {
    serveNpm(fake, { name: "blank", versions: [{ ...v1, deprecated: "\u0000" }] });
    const { versions } = await facts.one({ ecosystem: "npm", name: "blank" });
    expect(versions).toMatchObject([{ deprecation: { message: null } }]);
  });

  it("holds no address of more than 2000 characters", async () => {
    const repository = `https://git.example.org/${"a/".repeat(1500)}b.git`;
    serveNpm(fake, { name: "addressed", versions: [v1], repository });
    expect((await facts.one({ ecosystem: "npm", name: "addressed" })).repository).toBeNull();
  });

  it.each([
    ["more than 256 characters", `2.0.0-${"a".repeat(300)}`],
    ["several lines", "2.0.0\n::stop-commands::x"],
  ])("holds no version of %s, nor a tag of it", async (what, version) => {
    const name = `numbered${what.length}`;
    const extra = { "dist-tags": { latest: "1.0.0", next: version } };
    serveNpm(fake, { name, versions: [v1, { version, at }], extra });
    const known = await facts.one({
      ecosystem: "npm",
      name,
      select: ({ tags }) => tags.get("next"),
    });
    expect(known.versions.map((facts) => facts.version)).toEqual(["1.0.0"]);
    expect(known).toMatchObject({ version: null, versionFound: false });
  });
});

describe("a document", () => {
  it("is too large with more than 25,000 versions", async () => {
    const versions = Array.from({ length: 25_001 }, (_, index) => ({ version: `1.0.${index}` }));
    serveNpm(fake, { name: "many", versions });
    serveGoProxy(
      fake,
      {
        name: "example.com/many",
        versions: versions.map(({ version }) => ({ version: `v${version}` })),
      },
      "module example.com/many\n",
    );
    for (const reference of [
      { ecosystem: "npm", name: "many" },
      { ecosystem: "go", name: "example.com/many" },
    ] as const) {
      const { evidence } = await facts.one(reference);
      const errors = evidence.flatMap(({ error }) => error ?? []);
      expect(errors).toContainEqual(expect.stringContaining("more than is read"));
    }
  });

  it.each([
    ["more packages than are read", { length: 2001, entry: { package: { name: "x" } } }],
    ["a million entries without anything", { length: 1_000_000, entry: {} }],
  ])("of an advisory is not read with %s, and counts", async (what, { length, entry }) => {
    const name = `wide${what.length}`;
    const id = `GHSA-${name}`;
    serveNpm(fake, { name, versions: [v1] });
    serveOsv(fake, { [`npm/${name}@1.0.0`]: [{ id }] });
    const affected = Array.from({ length }, () => entry);
    fake.serve(`/osv/v1/vulns/${id}`, { text: JSON.stringify({ id, affected }) });
    const known = await facts.one({ ecosystem: "npm", name });
    expect(known.advisories).toMatchObject([{ id, severity: "unknown" }]);
    expect(known.evidence.find(({ ok, source }) => !ok && source === "osv")).toBeDefined();
  });
});
