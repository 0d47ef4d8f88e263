import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { audit } from "./audit-project.ts";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import {
  buildPublicRegistryFileUrl,
  buildExampleRegistryPageUrl,
} from "../../../src/platform/registry-urls.ts";

const evil = "https://evil.example";
const secret = "s3cret";

type Row = readonly [name: string, text: string, rows: readonly string[]];

function createFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "causeway-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** `line: text: word of the reason` of all that is reported in a folder or of a file. */
function reported(path: string): string[] {
  return readAuditFiles([path], "auto").flatMap(({ unparsed }) =>
    unparsed.map(
      ({ line, shown, reason }) => `${line ?? "-"}: ${shown ?? ""}: ${reason.split(":", 1)[0]}`,
    ),
  );
}

const sources = (body: string) =>
  `<configuration><packageSources>${body}</packageSources></configuration>`;
const mavenSettings = (body: string) => `<settings>${body}</settings>`;

const redirects: readonly Row[] = [
  [
    ".mvn/wrapper/maven-wrapper.properties",
    `# a\ndistributionUrl=${evil.replace(":", "\\:")}/maven.zip\n`,
    ["2: evil.example: registry"],
  ],
  [
    ".mvn/wrapper/maven-wrapper.properties",
    `wrapperUrl: ${evil}/wrapper.jar\n`,
    ["1: evil.example: registry"],
  ],
  [
    ".mvn/wrapper/maven-wrapper.properties",
    "distributionUrl=https://public.example\\\n@evil.example/maven.zip\n",
    ["1: distributionUrl: url"],
  ],
  [
    ".mvn/wrapper/maven-wrapper.properties",
    `distributionUrl=${buildPublicRegistryFileUrl("maven").origin}/maven2/org/evil/a.zip\n`,
    ["1: distributionUrl: url"],
  ],
  [".npmrc", `registry=${evil}/npm/\n`, ["1: evil.example: registry"]],
  [".npmrc", `\n "@a:registry" = "${evil}"\n`, ["2: evil.example: registry"]],
  [".npmrc", `[a]\rregistry[]=${evil};x\n`, ["1: evil.example: registry"]],
  [".npmrc", "registry=https://evil.example;@public.example\n", ["1: evil.example: registry"]],
  [".npmrc", "registry=${REGISTRY}\n", ["1: registry: environment_variable"]],
  [".npmrc", "registry=https://${HOST}/\n", ["1: registry: environment_variable"]],
  [".npmrc", "${KEY}=x\n", ["1: a key: environment_variable"]],
  [
    ".npmrc",
    `registry=https://\${USER}:${secret}@evil.example/?t=${secret}\n`,
    ["1: evil.example: registry"],
  ],
  [".npmrc", "pnpmfile=./hooks.cjs\n", ["1: pnpmfile: ./hooks.cjs: expression"]],
  [".yarnrc", `registry "${evil}"\n`, ["1: evil.example: registry"]],
  [".yarnrc", `"@a:registry" "${evil}"\n`, ["1: evil.example: registry"]],
  [".yarnrc", `--install.registry ${evil}\n`, ["1: evil.example: registry"]],
  [".yarnrc", 'yarn-path ".yarn/yarn.js"\n', ["1: yarn-path: .yarn/yarn.js: expression"]],
  [".yarnrc.yml", `a: 1\nnpmRegistryServer: "${evil}"\n`, ["2: evil.example: registry"]],
  [
    ".yarnrc.yml",
    `npmScopes:\n  a:\n    npmRegistryServer: ${evil}\n`,
    ["3: evil.example: registry"],
  ],
  [
    ".yarnrc.yml",
    'npmRegistryServer: "https://${HOST:-evil.example}/"\n',
    ["1: npmRegistryServer: environment_variable"],
  ],
  [
    ".yarnrc.yml",
    "yarnPath: .yarn/yarn.cjs\nplugins:\n  - path: .yarn/a.cjs\n    spec: a\n",
    ["1: yarnPath: .yarn/yarn.cjs: expression", "2: plugins: .yarn/a.cjs: expression"],
  ],
  ["bunfig.toml", `[install]\nregistry = "${evil}"\n`, ["2: evil.example: registry"]],
  [
    ".bunfig.toml",
    `[ install.scopes ]\na = { url = "${evil}", token = "${secret}" }\n`,
    ["2: evil.example: registry"],
  ],
  ["pnpm-workspace.yaml", `registries:\n  default: ${evil}\n`, ["2: evil.example: registry"]],
  ["pnpm-workspace.yaml", "pnpmfile:\n  - a.cjs\n", ["1: pnpmfile: a.cjs: expression"]],
  [".pnpmfile.cjs", "module.exports = {};\n", ["-: pnpmfile: expression"]],
  ["pip.conf", `[global]\nindex_url: ${evil}/simple\n`, ["2: evil.example: registry"]],
  ["pip.conf", `[global]\nextra-index-url =\n  ${evil}\n`, ["3: evil.example: registry"]],
  [
    "pip.ini",
    "[install]\nfind-links = ./wheels\nno-index = true\n",
    ["2: find-links: local", "3: no-index: index_option"],
  ],
  ["uv.toml", `[[index]]\nurl = "${evil}/simple"\n`, ["1: evil.example: registry"]],
  ["uv.toml", `[pip]\nextra-index-url = ["${evil}"]\n`, ["2: evil.example: registry"]],
  [
    ".cargo/config.toml",
    `[ source.main ]\nreplace-with = "mine"\n[ source.mine ]\nregistry = "sparse+${evil}/index/"\n`,
    ["3: evil.example: registry"],
  ],
  [".cargo/config", '[ source.main ]\nreplace-with = "mine"\n', ["1: source.main: reference"]],
  [".cargo/config.toml", '[ source.mine ]\ndirectory = "crates"\n', ["1: source.mine: local"]],
  [".cargo/config.toml", `[registries.mine]\nindex = "${evil}"\n`, ["2: evil.example: registry"]],
  [".cargo/config.toml", `[patch.main]\na = { git = "${evil}/a" }\n`, ["2: patch.a: git"]],
  [".bundle/config", `---\nBUNDLE_MIRROR__ALL: "${evil}"\n`, ["2: evil.example: registry"]],
  [
    ".bundle/config",
    `BUNDLE_MIRROR__HTTPS://A__EXAMPLE/: "${evil}"\n`,
    ["1: evil.example: registry"],
  ],
  [".bundle/config", 'BUNDLE_LOCAL__A: "../a"\n', ["1: BUNDLE_LOCAL: local"]],
  [".mvn/maven.config", "-T4\n-s\nsettings.xml\n", ["2: -s: include"]],
  [
    ".mvn/settings.xml",
    mavenSettings(`<mirrors><mirror><url>${evil}</url></mirror></mirrors>`),
    ["1: evil.example: registry"],
  ],
  [
    ".mvn/ci-settings.xml",
    mavenSettings(
      `<profiles><profile><repositories><repository><url>${evil}</url></repository></repositories></profile></profiles>`,
    ),
    ["1: evil.example: registry"],
  ],
  ["NuGet.Config", sources(`\n<add key="a" value="${evil}/v3"/>`), ["2: evil.example: registry"]],
  ["nuget.config", sources('<add key="a" value="./packages"/>'), ["1: packageSources: local"]],
  [
    "settings.gradle.kts",
    `pluginManagement { repositories {\n maven("${evil}/m2")\n} }\n`,
    ["2: evil.example: registry"],
  ],
  [
    "gradle/wrapper/gradle-wrapper.properties",
    `zipStoreBase=A\ndistributionUrl=https\\://me:${secret}@evil.example/gradle-9-bin.zip\n`,
    ["2: evil.example: registry"],
  ],
  [
    "gradle/wrapper/gradle-wrapper.properties",
    "distributionUrl = gradle-9.zip\ndistribution\\u0055rl=https\\://evil.example/\ndistributionUrl:https\\\n",
    ["1: distributionUrl: local", "2: a key: url", "3: distributionUrl: url"],
  ],
  ["go.work", "go 1.24\nreplace a.example/x => ../x\n", ["2: a.example/x => ../x: local"]],
  ["go.work", "use (\n ./a\n ../b\n)\n", ["3: use ../b: local"]],
];

const npm = buildPublicRegistryFileUrl("npm").origin;
const gems = buildPublicRegistryFileUrl("gem");

const harmless: readonly (readonly [name: string, text: string])[] = [
  [
    ".mvn/wrapper/maven-wrapper.properties",
    `distributionUrl=${buildPublicRegistryFileUrl("maven").origin}/maven2/org/apache/maven/apache-maven/3/apache-maven-3-bin.zip\n`,
  ],
  ["wrapper/maven-wrapper.properties", `distributionUrl=${evil}\n`],
  [".npmrc", ""],
  [".npmrc", `registry=${npm}/ ; the default\n//evil.example/:_authToken=${secret}\nfund=false\n`],
  [".yarnrc", `registry "${npm}"\nlastUpdateCheck 1\n`],
  [".yarnrc.yml", `npmRegistryServer: ${npm}\nnpmAuthToken: ${secret}\n`],
  ["bunfig.toml", `[install]\nregistry = "${npm}"\n`],
  ["pnpm-workspace.yaml", "packages:\n  - packages/*\n"],
  [".pypirc", `[a]\nrepository = ${evil}\npassword = ${secret}\n`],
  [
    "pip.conf",
    `[global]\nindex-url = ${buildExampleRegistryPageUrl("pypi").origin}/simple\ntimeout = 60\n`,
  ],
  [".cargo/config.toml", '[build]\ntarget-dir = "out"\n'],
  [
    ".bundle/config",
    `BUNDLE_MIRROR__ALL: "${gems.origin}/"\nBUNDLE_EVIL__EXAMPLE: "a:${secret}"\n`,
  ],
  [".mvn/maven.config", "-T4\n--fail-at-end\n"],
  [
    "nuget.config",
    sources(`<add key="a" value="${buildPublicRegistryFileUrl("nuget").origin}/v3/index.json"/>`),
  ],
  ["settings.gradle", 'rootProject.name = "a"\n'],
  ["go.work", "go 1.24\nuse ./a\n"],
  [
    "gradle/wrapper/gradle-wrapper.properties",
    "#distributionUrl=a\ndistributionBase=A\ndistributionUrl=https\\://services.gradle.org/distributions/gradle-9-bin.zip\n",
  ],
  [".cargo/other.toml", `[registries.mine]\nindex = "${evil}"\n`],
];

describe("the audit of settings that say where packages come from", () => {
  it.each(redirects)("reports what a %s redirects: %j", (name, text, rows) => {
    const folder = createFolder({ [name]: text });
    expect(reported(folder)).toEqual(rows);
    expect(reported(join(folder, name))).toEqual(rows);
    expect(JSON.stringify(readAuditFiles([folder], "auto"))).not.toContain(secret);
  });

  it.each(harmless)("reports nothing of a %s without a redirection: %j", (name, text) => {
    const files = readAuditFiles([createFolder({ [name]: text })], "auto");
    expect(files.flatMap(({ unparsed }) => unparsed)).toEqual([]);
    expect(JSON.stringify(files)).not.toContain(secret);
  });

  it("reports a variable that may end the host of a public registry", () => {
    const text = `registry=https://\${A}@${buildPublicRegistryFileUrl("npm").host}/\n`;
    expect(reported(createFolder({ ".npmrc": text }))).toEqual([
      "1: registry: environment_variable",
    ]);
  });

  it("reports one entry for a host, at its first line", () => {
    const text = `registry=${evil}\n@a:registry=${evil}/a\n`;
    expect(reported(createFolder({ "app/.npmrc": text }))).toEqual(["1: evil.example: registry"]);
  });

  it("asks about packages that settings name", () => {
    const extension =
      "<extension><groupId>g</groupId><artifactId>a</artifactId><version>1</version></extension>";
    const files = readAuditFiles(
      [
        createFolder({
          "pnpm-workspace.yaml": "configDependencies:\n  hooks: 1.0.0+sha512-abc\n",
          ".mvn/extensions.xml": `<extensions>${extension}</extensions>`,
          "go.work": "replace a.example/x => b.example/y v1.2.0\n",
        }),
      ],
      "auto",
    );
    const names = files.flatMap(({ dependencies }) =>
      dependencies.map(({ name, version, line }) => `${line}: ${name} ${version}`),
    );
    expect(names.toSorted()).toEqual(["1: b.example/y v1.2.0", "1: g:a 1", "2: hooks 1.0.0"]);
  });

  it("reports what a workspace above a Cargo.lock patches", () => {
    const folder = createFolder({
      "Cargo.toml": '[workspace]\nmembers = ["a"]\n[patch.main]\nb = { path = "b" }\n',
      "a/Cargo.toml": '[package]\nname = "a"\n',
      "a/Cargo.lock": 'version = 4\n[[package]]\nname = "a"\nversion = "0.1.0"\n',
    });
    expect(reported(folder)).toEqual(["4: b: local"]);
  });

  it("reads nothing else of a hidden folder, and no settings by another name", () => {
    const folder = createFolder({
      ".cargo/package.json": '{"dependencies":{"evil":"1"}}',
      ".git/.npmrc": `registry=${evil}\n`,
      ".npmrc": `token=${secret}\n`,
    });
    symlinkSync(".npmrc", join(folder, "requirements.txt"));
    symlinkSync(".git", join(folder, ".mvn"));
    expect(reported(folder)).toEqual(["-: requirements.txt: hidden", "-: .mvn: not_a_file"]);
    expect(readAuditFiles([folder], "auto").flatMap(({ dependencies }) => dependencies)).toEqual(
      [],
    );
  });

  it("shows no text of settings that cannot be read", () => {
    const files = {
      ".yarnrc.yml": `a: [${secret}\n`,
      ".npmrc": `a=${secret}${"x".repeat(70_000)}\n`,
    };
    expect(reported(createFolder(files))).toEqual([
      "1: : line_too_long",
      expect.stringMatching(/^\d+: \.yarnrc\.yml: invalid_yaml$/),
    ]);
  });
});

describe("the audit of packages that settings of pnpm and Yarn add", () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ["tarball: https://a.example/x.tgz", "integrity: 1.0.0+sha512-abc", [], ["3: url"]],
    ["integrity: 1.0.0+sha512-abc", "a: b", ["hooks 1.0.0"], []],
    ["integrity: [1]", "a: b", [], ["3: invalid_specifier"]],
  ])("reads a configDependency with %j", (first, second, asked, unread) => {
    const text = `packages: []\nconfigDependencies:\n  hooks:\n    ${first}\n    ${second}\n`;
    expect(audit({ "pnpm-workspace.yaml": text })).toEqual({
      asked,
      unread: unread.map((row) => `pnpm-workspace.yaml:${row}`),
    });
  });

  it("reports a configDependency with an address", () => {
    const text = "configDependencies:\n  hooks: https://a.example/x.tgz\n";
    expect(audit({ "pnpm-workspace.yaml": text }).unread).toEqual(["pnpm-workspace.yaml:2: url"]);
  });

  it.each(["pnpm-workspace.yaml", ".yarnrc.yml"])("reads packageExtensions of a %s", (name) => {
    const text =
      "packageExtensions:\n  a@1:\n    dependencies:\n      evil: 1.0.0\n      b: user/repo\n";
    expect(audit({ [name]: text })).toEqual({
      asked: ["evil 1.0.0"],
      unread: [`${name}:1: git`],
    });
  });
});
