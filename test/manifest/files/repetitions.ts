import { many, record } from "./crowds.ts";
import type { HostileFile } from "./growth.ts";

type Repetition = readonly [
  format: string,
  what: string,
  size: number,
  fileOf: (size: number) => HostileFile,
];

const json = (value: unknown): HostileFile => ({ text: JSON.stringify(value) });
const lines = (head: string, size: number, lineOf: (at: number) => string): HostileFile => ({
  text: head + many(size, lineOf).join(""),
});

/** A document of each format with many entries of one kind, each of which the readers go through once. */
export const repetitions: readonly Repetition[] = [
  [
    "package-lock.json",
    "packages in one another",
    100,
    (size) =>
      json({
        packages: record(size, (at) => [
          Array(at + 1)
            .fill("node_modules/a")
            .join("/"),
          {},
        ]),
      }),
  ],
  [
    "package-lock.json",
    "folders of workspaces",
    3000,
    (size) => json({ packages: record(size, (at) => [`w${at}`, { dependencies: { a: "1" } }]) }),
  ],
  [
    "Gemfile.lock",
    "remotes of the gems of a section",
    250,
    (size) =>
      lines(
        `GEM\n${many(size, (at) => `  remote: https://h${at}.example/\n`).join("")}  specs:\n`,
        size,
        (at) => `    g${at} (1.0)\n`,
      ),
  ],
  [
    "pnpm-lock.yaml",
    "importers",
    800,
    (size) =>
      lines(
        "lockfileVersion: 9\npackages:\n  a@1: {}\nimporters:\n",
        size,
        (at) => `  w${at}: {dependencies: {a: {version: 1}}}\n`,
      ),
  ],
  [
    "pnpm-lock.yaml",
    "documents",
    500,
    (size) => lines("", size, (at) => `---\nlockfileVersion: 9\npackages: {a@${at}: {}}\n`),
  ],
  [
    "pnpm-lock.yaml",
    "one key",
    2000,
    (size) => lines("lockfileVersion: 9\n", size, () => "a: b\n"),
  ],
  ["pnpm-lock.yaml", "errors", 1000, (size) => lines("a: [", size, () => "} ")],
  ["pnpm-lock.yaml", "tags", 1000, (size) => lines("", size, (at) => `a${at}: !t${at} x\n`)],
  ["pnpm-lock.yaml", "complex keys", 1000, (size) => lines("", size, (at) => `? [a${at}]\n: x\n`)],
  [
    "yarn.lock",
    "packages of Yarn 1",
    5000,
    (size) =>
      lines("", size, (at) => `p${at}@1:\n  version "1"\n  dependencies:\n    p${at + 1} "1"\n`),
  ],
  [
    "bun.lock",
    "workspaces",
    1000,
    (size) =>
      json({
        workspaces: record(size, (at) => [`w${at}`, { name: `w${at}`, dependencies: { a: "1" } }]),
        packages: { a: ["a@1"] },
      }),
  ],
  [
    "uv.lock",
    "groups of many packages",
    600,
    (size) => ({
      text: `version = 1\n[[package]]\nname = "m"\nsource = { virtual = "." }\n[package.dev-dependencies]\n${many(size, (at) => `g${at} = [{ name = "p0" }]\n`).join("")}${many(size, (at) => `[[package]]\nname = "p${at}"\ndependencies = [{ name = "p${at + 1}" }]\n`).join("")}`,
    }),
  ],
  [
    "Pipfile",
    "dotted keys",
    2000,
    (size) => lines("", size, (at) => `packages.p${at}.version = "1"\n`),
  ],
  [
    "Pipfile",
    "long dotted keys",
    100,
    (size) => lines("", size, (at) => `${"a.".repeat(100)}b${at} = 1\n`),
  ],
  ["Pipfile", "tables of a list", 2000, (size) => lines("", size, () => "[[a]]\n[[a.b]]\nc = 1\n")],
  [
    "pyproject.toml",
    "one source of many platforms that many ask for",
    800,
    (size) => ({
      text: `[project]\ndependencies = [${'"a",'.repeat(size)}]\n[tool.uv.sources]\na = [${'{ git = "x" },'.repeat(size)}]\n`,
    }),
  ],
  ["requirements.txt", "continued lines", 8000, (size) => lines("", size, () => "a==1 \\\n")],
  [
    "Cargo.toml",
    "targets",
    2000,
    (size) => lines("", size, (at) => `[target.t${at}.dependencies]\na = "1"\n`),
  ],
  [
    "Cargo.toml",
    "dependencies that inherit from ones that inherit",
    2000,
    (size) => ({
      text: ["dependencies", "workspace.dependencies"]
        .map((table) => lines(`[${table}]\n`, size, (at) => `p${at}.workspace = true\n`).text)
        .join(""),
    }),
  ],
  [
    "go.mod",
    "replacements",
    4000,
    (size) => lines("module m\n", size, (at) => `require a${at} v1\nreplace a${at} => b v1\n`),
  ],
  [
    "pom.xml",
    "properties of properties",
    800,
    (size) => ({
      text: `<project><properties>${many(size, (at) => `<p${at}>\${p${at + 1}}\${p${at + 1}}</p${at}>`).join("")}</properties><dependencies>${many(size, (at) => `<dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${p${at}}</version></dependency>`).join("")}</dependencies></project>`,
    }),
  ],
  [
    "pom.xml",
    "profiles and managed versions",
    800,
    (size) => {
      const rows = many(
        size,
        (at) => `<dependency><groupId>g</groupId><artifactId>a${at}</artifactId></dependency>`,
      );
      return {
        text: `<project><dependencyManagement><dependencies>${rows.join("")}</dependencies></dependencyManagement><profiles>${rows.map((row) => `<profile><dependencies>${row}</dependencies></profile>`).join("")}</profiles></project>`,
      };
    },
  ],
  [
    "pom.xml",
    "profiles that set versions of what a parent has",
    400,
    (size) => {
      const rows = many(
        size,
        (at) =>
          `<dependency><groupId>g</groupId><artifactId>a${at}</artifactId><version>\${v${at}}</version></dependency>`,
      ).join("");
      const profiles = many(
        size,
        (at) => `<profile><properties><v${at}>1.${at}</v${at}></properties></profile>`,
      ).join("");
      const body = `<dependencies>${rows}</dependencies><profiles>${profiles}</profiles>`;
      return {
        text: `<project><parent><groupId>g</groupId><artifactId>p</artifactId></parent>${body}</project>`,
        files: { "../pom.xml": `<project>${body}</project>` },
      };
    },
  ],
  [
    "pom.xml",
    "attributes",
    3000,
    (size) => ({ text: `<project ${many(size, (at) => `a${at}="1"`).join(" ")}/>` }),
  ],
  [
    "pom.xml",
    "entities",
    3000,
    (size) => ({
      text: `<!DOCTYPE project [${many(size, (at) => `<!ENTITY e${at} "&e${at + 1};">`).join("")}]><project>${"&e0;".repeat(size)}</project>`,
    }),
  ],
  [
    "pom.xml",
    "comments and texts",
    3000,
    (size) => ({ text: `<project>${"<!-- a --><b/>c".repeat(size)}</project>` }),
  ],
  [
    "csproj",
    "properties of properties",
    800,
    (size) => ({
      text: `<Project><PropertyGroup>${many(size, (at) => `<P${at}>$(P${at + 1})$(P${at + 1})</P${at}>`).join("")}</PropertyGroup><ItemGroup>${many(size, (at) => `<PackageReference Include="p" Version="$(P${at})"/>`).join("")}</ItemGroup></Project>`,
    }),
  ],
  [
    "Gemfile",
    "brackets behind a group",
    10_000,
    (size) => ({ text: `group ${"(".repeat(size)} do\n` }),
  ],
  [
    "Gemfile",
    "open lists of groups",
    8000,
    (size) => ({ text: `gem "a"${", group: [".repeat(size)}\n` }),
  ],
  [
    "cyclonedx.json",
    "purls with many parts",
    2000,
    (size) =>
      json({
        bomFormat: "CycloneDX",
        components: [
          { purl: `pkg:npm/${"%41/".repeat(size)}b@1?${many(size, (at) => `a${at}=1`).join("&")}` },
        ],
      }),
  ],
  [
    "spdx",
    "packages of one id",
    1000,
    (size) =>
      lines(
        "SPDXVersion: SPDX-2.3\n",
        size,
        (at) => `PackageName: p${at}\nSPDXID: a\nRelationship: a DEPENDS_ON p${at}\n`,
      ),
  ],
  [
    "Gemfile",
    "hosts and gems",
    2000,
    (size) => ({
      text: `${many(size, (at) => `source "https://h${at}.example"\n`).join("")}${many(size, (at) => `gem "g${at}"\n`).join("")}`,
    }),
  ],
  [
    "Gemfile",
    "hosts and gems with hosts of their own",
    2000,
    (size) => ({
      text: `${many(size, (at) => `source "https://h${at}.example"\n`).join("")}${many(size, (at) => `gem "g${at}", source: "https://o${at}.example"\n`).join("")}`,
    }),
  ],
  [
    "pom.xml",
    "hosts and packages",
    2000,
    (size) => ({
      text: `<project><repositories>${many(size, (at) => `<repository><url>https://h${at}.example</url></repository>`).join("")}</repositories><dependencies>${many(size, (at) => `<dependency><groupId>g</groupId><artifactId>a${at}</artifactId></dependency>`).join("")}</dependencies></project>`,
    }),
  ],
  [
    "Pipfile",
    "hosts and packages",
    2000,
    (size) => ({
      text: `${many(size, (at) => `[[source]]\nurl = "https://h${at}.example"\n`).join("")}[packages]\n${many(size, (at) => `p${at} = "*"\n`).join("")}`,
    }),
  ],
  [
    "pyproject.toml",
    "hosts and packages",
    2000,
    (size) => ({
      text: `${many(size, (at) => `[[tool.uv.index]]\nurl = "https://h${at}.example"\n`).join("")}[project]\ndependencies = [${many(size, (at) => `"p${at}"`).join(",\n")}]\n`,
    }),
  ],
  [
    "pyproject.toml",
    "hosts and packages of an index for some platforms",
    2000,
    (size) => ({
      text: `${many(size, (at) => `[[tool.uv.index]]\nname = "i${at}"\nurl = "https://h${at}.example"\n`).join("")}[tool.uv.sources]\n${many(size, (at) => `p${at} = { index = "i${at}", marker = "x" }\n`).join("")}[project]\ndependencies = [${many(size, (at) => `"p${at}"`).join(",\n")}]\n`,
    }),
  ],
  [
    "Pipfile.lock",
    "hosts and packages",
    2000,
    (size) =>
      json({
        _meta: { sources: many(size, (at) => ({ url: `https://h${at}.example` })) },
        default: record(size, (at) => [`p${at}`, { version: "==1" }]),
      }),
  ],
];
