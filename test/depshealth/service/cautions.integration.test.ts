import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveCargo, serveNpm } from "../../support/fake-sources/packages.ts";
import { serveEcosystems } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  const npm = (name: string, ...ages: number[]) =>
    serveNpm(fake, {
      name,
      versions: ages.map((age, index) => ({
        version: `${ages.length - index}.0.0`,
        at: daysAgo(age),
      })),
    });
  npm("fresh-thing", 3, 29);
  npm("known-thing", 3, 31);
  npm("requests", 4);
  npm("expresss", 100, 2000);
  npm("preact", 40, 2000);
  serveEcosystems(fake, {
    "pkg:npm/expresss": { dependent_packages_count: 2 },
    "pkg:npm/preact": { dependent_packages_count: 9000 },
  });
  serveNpm(fake, {
    name: "scripted",
    versions: [
      { version: "2.0.0", at: daysAgo(40), scripts: { postinstall: "node setup.js" } },
      { version: "1.0.0", at: daysAgo(400), scripts: { test: "vitest", prepare: "tsc" } },
    ],
  });
  serveCargo(fake, { name: "gtk4", versions: [{ version: "0.10.0", at: daysAgo(50) }] });
});

afterAll(() => tools.close());

async function health(ecosystem: string, name: string, version?: string) {
  const body = { ecosystem, name, version, task_context: "Choosing a package" };
  const answer = await tools.tool("package_health", body);
  const reasons = answer.body.reasons.map(({ code, message }: Record<string, string>) => [
    code,
    message,
  ]);
  return { ...answer.body, said: Object.fromEntries(reasons) };
}

describe("a package whose first release is young", () => {
  it("[cautions.new-package] is told to be new, and keeps its verdict", async () => {
    const { verdict, said, summary } = await health("npm", "fresh-thing");
    expect(verdict).toBe("active");
    expect(said.new_package).toBe("Its first release is 29 days old.");
    expect(summary).toMatch(
      /; its first release is 29 days old; look at who publishes it before you choose it\.$/,
    );
  });

  it("[cautions.new-package] is not new after a month, however young its latest version is", async () => {
    const { verdict, said } = await health("npm", "known-thing");
    expect(verdict).toBe("active");
    expect(said).not.toHaveProperty("new_package");
  });
});

describe("a name that is almost that of a much-used package", () => {
  it.each([
    ["npm", "loadsh", "it has `lodash`, which may be meant"],
    ["cargo", "serde_jsn", "it has `serde_json`, which may be meant"],
    ["pypi", "express", "the npm registry has `express`, which may be meant"],
    ["cargo", "gtk4-rs", "it has `gtk4`, which may be meant"],
    ["packagist", "monolog", "it has `monolog/monolog`, which may be meant"],
  ])("is told of %s's %s, which is not there", async (ecosystem, name, words) => {
    const { verdict, said, install_instead: target } = await health(ecosystem, name);
    expect(verdict).toBe("unknown");
    expect(said.not_found).toBe(`The ${ecosystem} registry has no package ${name}: ${words}.`);
    expect(said.did_you_mean).toContain("may be meant.");
    expect(target).toBeNull();
  });

  it("may be invented where nothing is like it", async () => {
    const { said } = await health("npm", "entirely-made-up-name");
    expect(said.not_found).toContain("the name may be misspelled or invented");
    expect(said).not.toHaveProperty("did_you_mean");
  });

  it("[cautions.did-you-mean] is told of one that few use, and of one that is new", async () => {
    const few = await health("npm", "expresss");
    expect([few.verdict, few.said.did_you_mean]).toEqual(["active", "`express` may be meant."]);
    const taken = await health("npm", "requests");
    expect([taken.verdict, taken.said.did_you_mean]).toEqual([
      "active",
      "`requests` of pypi may be meant.",
    ]);
  });

  it("[cautions.did-you-mean] is not told of one that many use", async () => {
    const { said } = await health("npm", "preact");
    expect(said).not.toHaveProperty("did_you_mean");
  });
});

describe("a script that runs at installation", () => {
  it("[cautions.install-script] is told of the version that has it", async () => {
    const { verdict, said } = await health("npm", "scripted");
    expect(verdict).toBe("active");
    expect(said.install_script).toContain("scripted 2.0.0 runs a script of its own");
    expect((await health("npm", "scripted", "1.0.0")).said).not.toHaveProperty("install_script");
  });
});
