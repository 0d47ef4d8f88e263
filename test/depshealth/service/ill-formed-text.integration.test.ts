import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  serveMaven,
  serveNpm,
  servePackagist,
  servePypi,
} from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

/** Texts that JSON can carry and neither UTF-8 nor PostgreSQL can. */
const texts = ["\ud800", "\udc00x", "a\ud800", "1.0.0\udfff", "a\u0000b", "\u0000"];

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  const released = [{ version: "1.0.0", at: daysAgo(10) }];
  for (const name of ["good", "other"]) serveNpm(fake, { name, versions: released });
  servePypi(fake, { name: "good", versions: released });
  serveMaven(fake, { name: "org.example:good", versions: released });
});

afterAll(() => tools.close());

interface Row {
  readonly ecosystem: string;
  readonly name: string;
  readonly verdict: string;
  readonly reasons: readonly string[];
}

async function audit(body: Readonly<Record<string, unknown>>): Promise<readonly Row[]> {
  const answer = await tools.tool("deps_audit", body);
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { packages: readonly Row[] }).packages;
}

const good = [
  { ecosystem: "npm", name: "good" },
  { ecosystem: "pypi", name: "good", version: "1.0.0" },
  { ecosystem: "maven", name: "org.example:good" },
];

function expectGood(rows: readonly Row[]): void {
  for (const { ecosystem, name } of good) {
    const row = rows.find((each) => each.ecosystem === ecosystem && each.name === name);
    expect(row).toMatchObject({ ecosystem, name, verdict: "active" });
  }
}

describe("deps_audit of a manifest", () => {
  it.each(texts)("keeps all other verdicts with %j in a name and a version", async (text) => {
    const dependencies = { [`x${text}`]: "1.0.0", good: `1.0.0${text}`, other: "*" };
    const manifest = JSON.stringify({ dependencies });
    const rows = await audit({ packages: good, manifest, manifest_kind: "package.json" });
    expectGood(rows);
    expect(rows.find(({ name }) => name === "other")).toMatchObject({ verdict: "active" });
    expect(rows).toHaveLength(good.length + 1);
  });
});

describe("deps_audit of a list", () => {
  it.each(texts)("rejects a name and a version %j with their place", async (text) => {
    for (const entry of [{ name: text }, { name: "good", version: text }]) {
      const packages = [...good, { ecosystem: "pypi", ...entry }];
      const { status, body } = await tools.tool("deps_audit", { packages });
      const param = "version" in entry ? "packages[3].version" : "packages[3].name";
      expect({ status, param: body.param }).toEqual({ status: 400, param });
    }
  });
});

describe("deps_audit and package_health", () => {
  it.each([...texts, "..", ".", ""])("answer when a registry says %j", async (text) => {
    const { fake } = tools;
    const id = texts.indexOf(text).toString().replace("-", "x");
    const name = `bad${id}${text.length}`;
    const versions = [
      { version: text, at: daysAgo(5), deprecated: text, license: text },
      { version: "1.0.0", at: daysAgo(10), deprecated: `use \`a${text}\`` },
    ];
    const repository = { type: "git", url: `https://github.com/${text}/${text}` };
    const extra = { "dist-tags": { latest: text, [text]: text } };
    serveNpm(fake, { name, versions, repository, extra });
    servePypi(fake, { name, versions, repository: repository.url });
    servePackagist(fake, {
      name: `a/${name}`,
      versions,
      repository: repository.url,
      extra: { abandoned: `a/${text}` },
    });
    const reference = Array.from(text)
      .map((character) => `&#${character.codePointAt(0)?.toString() ?? ""};`)
      .join("");
    serveMaven(fake, { name: `org.example:${name}`, versions: [{ version: reference }] });
    serveOsv(fake, {
      [`npm/${name}@1.0.0`]: [{ id: text, modified: text, aliases: [text], fixed: text }],
    });
    const named = [
      { ecosystem: "npm", name },
      { ecosystem: "npm", name, version: "1.0.0" },
      { ecosystem: "pypi", name },
      { ecosystem: "packagist", name: `a/${name}` },
      { ecosystem: "maven", name: `org.example:${name}` },
    ];
    expectGood(await audit({ packages: [...good, ...named] }));
    for (const each of named) {
      const answer = await tools.tool("package_health", each);
      expect(answer).toMatchObject({ status: 200 });
    }
  });
});
