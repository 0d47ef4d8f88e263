import { describe, expect, it } from "vitest";
import { DependencyFileSyntaxError } from "../../../src/manifest/dependency-file.ts";
import { dependencyFileFormats, findFileFormatByKind } from "../../../src/manifest/file-formats.ts";
import { describeFile } from "./describe-file.ts";

/** What a reader says of a text that it cannot read; undefined: it read it. */
function refusal(format: string, text: string): string | undefined {
  try {
    findFileFormatByKind(format)?.read(text, () => undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof DependencyFileSyntaxError)) throw error;
    return error.line === undefined ? error.message : `${error.line}: ${error.message}`;
  }
}

describe("a file that is not of its format", () => {
  it.each([
    [
      "package-lock.json",
      '{\n "a": 1,\n}',
      "3: invalid_json: comments and trailing commas are no JSON",
    ],
    ["package-lock.json", "[]", "1: invalid_json: it is no object"],
    ["composer.lock", "{}", "1: invalid_lock: it has no packages"],
    ["packages.lock.json", "{}", "1: invalid_lock: it has no dependencies"],
    ["packages.lock.json", '{"dependencies":[]}', "1: invalid_lock: it has no dependencies"],
    ["packages.lock.json", '{"dependencies":{"a":[]}}', "1: invalid_lock: it has no dependencies"],
    ["Pipfile.lock", '{"default":[]}', "1: invalid_lock: a category has no packages"],
    ["environment.yml", "- a\n", "1: invalid_yaml: it is not a mapping"],
    ["environment.yml", "dependencies: {}\n", "1: invalid_yaml: its dependencies are not a list"],
    ["environment.yml", "dependencies: a\n", "1: invalid_yaml: its dependencies are not a list"],
    ...["poetry.lock", "uv.lock", "pdm.lock", "Cargo.lock"].map(
      (name): [string, string, string] => [
        name,
        'version = 1\n[metadata]\n[package]\nname = "a"\n',
        "1: invalid_lock: its packages are not a list of tables",
      ],
    ),
    ["pnpm-lock.yaml", "packages: {}\n", "1: invalid_lock: it has no lockfileVersion"],
    ["yarn.lock", "app@1:\n  version\n", "1: invalid_lock: Yarn does not write such a line"],
    ["yarn.lock", "what is this\n", "1: invalid_lock: Yarn does not write such a line"],
    ["Cargo.lock", 'name = "mine"\n', "1: invalid_lock: it has no packages"],
    ["poetry.lock", 'name = "mine"\n', "1: invalid_lock: it has neither packages nor metadata"],
    ["uv.lock", 'name = "mine"\n', "1: invalid_lock: it has no version"],
    ["go.mod", "require a v1.0.0\n", "1: invalid_go_mod: it has no module line"],
    ["go.sum", "a v1.0.0 h1:aa=\nwhat\n", "2: invalid_lock: Go does not write such a line"],
    ["gradle.lockfile", "# a\nwhat\n", "2: invalid_lock: Gradle does not write such a line"],
    ["Gemfile.lock", "what\n", "1: invalid_lock: Bundler does not write such a line"],
    ["pom.xml", "<settings/>", "invalid_xml: it has no <project>"],
    ["cyclonedx.json", '{"bomFormat":"other"}', "1: invalid_bill: its bomFormat is not CycloneDX"],
    [
      "spdx.json",
      '{"spdxVersion":"SPDX-3.0"}',
      "1: invalid_bill: it is no SPDX document of version 2",
    ],
    ["spdx", "PackageName: a\n", "1: invalid_bill: it is no SPDX document of version 2"],
  ])("is refused as no %s: %j", (format, text, said) => {
    expect(refusal(format, text)).toBe(said);
  });

  it("says at which line TOML, YAML and XML break", () => {
    expect(refusal("Cargo.toml", '[dependencies]\na = "1\n')).toMatch(/^\d: invalid_toml: /);
    expect(refusal("pnpm-lock.yaml", "a: 1\nb: [\n")).toMatch(/^\d: invalid_yaml: /);
    expect(refusal("pom.xml", "<project>\n<a></b>\n</project>")).toMatch(/^2: invalid_xml: /);
  });
});

describe("a hostile file", () => {
  const deep = 100_000;

  it.each([
    ["package-lock.json", `{"packages":${'{"a":'.repeat(deep)}1${"}".repeat(deep)}}`],
    ["package-lock.json", `${'{"dependencies":{"a":'.repeat(deep)}1${"}}".repeat(deep)}`],
    ["cyclonedx.json", `{"bomFormat":"CycloneDX",${nested('"components":[{', deep, "}]")}}`],
    ["pnpm-lock.yaml", `a: ${"[".repeat(deep)}${"]".repeat(deep)}`],
    ["bun.lock", `{"packages": ${"[".repeat(deep)}${"]".repeat(deep)}}`],
    ["yarn.lock", `__metadata:\n${indented(2000)}`],
    ["Cargo.lock", `a = ${"[".repeat(deep)}${"]".repeat(deep)}`],
    ["pom.xml", `<project>${"<a>".repeat(deep)}${"</a>".repeat(deep)}</project>`],
  ])("%s that nests without end is read quickly or refused", (format, text) => {
    const start = process.cpuUsage();
    expect(() => describeOrRefuse(format, text)).not.toThrow();
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
  });

  it("[audit.hostile-files] does not let aliases of YAML stand for more than the text", () => {
    const lines = Array.from({ length: 30 }, (_, at) => {
      const inner = at === 0 ? "x" : `*a${at - 1}`;
      return `a${at}: &a${at} [${Array.from({ length: 9 }, () => inner).join(", ")}]`;
    });
    expect(refusal("pnpm-lock.yaml", `lockfileVersion: 9\n${lines.join("\n")}\n`)).toBe(
      "invalid_yaml: it has aliases",
    );
  });

  it("[audit.hostile-files] does not expand entities of XML", () => {
    const entities = Array.from(
      { length: 20 },
      (_, at) => `<!ENTITY e${at} "${at === 0 ? "x" : `&e${at - 1};`.repeat(10)}">`,
    );
    const text = `<!DOCTYPE project [${entities.join("")}]><project><dependencies><dependency>
<groupId>a</groupId><artifactId>b</artifactId><version>&e19;</version>
</dependency></dependencies></project>`;
    expect(() => describeOrRefuse("pom.xml", text)).not.toThrow();
  });

  it("keeps long ways short, and cycles from going round", () => {
    const length = 3000;
    const packages = Array.from({ length }, (_, at) => {
      const needs = { [`p${(at + 1) % length}`]: "1" };
      return [`node_modules/p${at}`, { version: "1.0.0", dependencies: needs }] as const;
    });
    const lock = {
      packages: { "": { dependencies: { p0: "1" } }, ...Object.fromEntries(packages) },
    };
    const { packages: rows } = describeFile("package-lock.json", JSON.stringify(lock));
    expect(rows).toHaveLength(length);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(400);
    expect(rows[0]).toBe("1: p0 1.0.0 direct production");
  });

  it("may call packages what objects have by themselves", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const lock = `{"packages":{"":{"dependencies":{${names.map((name) => `"${name}":"1"`).join(",")}}},
${names.map((name) => `"node_modules/${name}":{"version":"1.0.0"}`).join(",\n")}}}`;
    const { packages } = describeFile("package-lock.json", lock);
    expect(packages.map((row) => row.split(" ")[1])).toEqual(names);
  });
});

describe("every format", () => {
  it.each(dependencyFileFormats.map(({ name }) => name))(
    "[audit.hostile-files] %s refuses noise or reads nothing of it",
    (name) => {
      for (const text of ["\u0000\u0001\u0002", "\n\n\n", "{", "<", "[[", "- - -\n", "a: b: c"]) {
        expect(() => describeOrRefuse(name, text)).not.toThrow();
      }
    },
  );
});

function describeOrRefuse(format: string, text: string): void {
  refusal(format, text);
}

function nested(open: string, times: number, close: string): string {
  return `${open.repeat(times)}${close.repeat(times)}`;
}

function indented(levels: number): string {
  return Array.from({ length: levels }, (_, at) => `${" ".repeat(at)}a:`).join("\n");
}
