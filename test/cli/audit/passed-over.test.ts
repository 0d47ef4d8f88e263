import { describe, expect, it } from "vitest";
import { audit, type Case, type Content } from "./audit-project.ts";

describe("the audit of lines that end where a format ends none", () => {
  const entry = 'left@^1.0.0:\n  version: "1.0.0"\n  resolution: "left@npm:1.0.0"\n';
  const fetched = '  resolved: "http://files.example/evil.tgz"\n';

  it.each(["\u2028", "\u2029", "\r"])("reads Yarn 1 in spite of %j in a comment", (end) => {
    const found = audit({ "yarn.lock": `#${end}__metadata:\n\n${entry}${fetched}` });
    expect(found).toEqual({ asked: [], unread: ["yarn.lock:3: url"] });
  });

  it("counts an entry of Yarn 2 that Yarn 1 fetches from elsewhere", () => {
    const found = audit({ "yarn.lock": `__metadata:\n  version: 8\n\n${entry}${fetched}` });
    expect(found).toEqual({ asked: [], unread: ["yarn.lock:4: url"] });
  });

  it("counts a yarn.lock with a carriage return that ends a line for Yarn alone", () => {
    const found = audit({ "yarn.lock": 'a@1:\n  version "1.0.0"\revil@1:\n  version "1.0.0"\n' });
    expect(found).toEqual({ asked: [], unread: ["yarn.lock:2: invalid_lock"] });
  });

  it("reads a line of a gradle.lockfile that a carriage return ends", () => {
    const found = audit({ "gradle.lockfile": "# a\rg:evil:1.0.0=runtimeClasspath\n" });
    expect(found.asked).toEqual(["g:evil 1.0.0"]);
  });

  it("takes no value of a comment of a build.gradle behind a line separator", () => {
    const text = "def v = '1.0.0' \n// a\u2028def v = '2.0.0'\nimplementation \"g:a:$v\"\n";
    expect(audit({ "build.gradle": text }).asked).toEqual(["g:a 1.0.0"]);
  });
});

describe("the audit of a need that its lock file has no entry for", () => {
  const toml = '[[package]]\nname = "left"\nversion = "1.0.0"\n';
  const evil = { evil: "^1.0.0" };

  it.each<[string, Content, string]>([
    [
      "yarn.lock",
      'left@^1.0.0:\n  version "1.0.0"\n  dependencies:\n    evil "^1.0.0"\n',
      "evil ^1.0.0",
    ],
    [
      "yarn.lock",
      '__metadata:\n  version: 8\n\n"left@npm:1.0.0":\n  version: 1.0.0\n  resolution: "left@npm:1.0.0"\n  dependencies:\n    evil: "npm:^1.0.0"\n',
      "evil ^1.0.0",
    ],
    [
      "package-lock.json",
      {
        json: {
          lockfileVersion: 3,
          packages: { "node_modules/left": { version: "1.0.0", dependencies: evil } },
        },
      },
      "evil ^1.0.0",
    ],
    [
      "package-lock.json",
      {
        json: { lockfileVersion: 1, dependencies: { left: { version: "1.0.0", requires: evil } } },
      },
      "evil ^1.0.0",
    ],
    [
      "bun.lock",
      { json: { packages: { left: ["left@1.0.0", "", { dependencies: evil }, ""] } } },
      "evil ^1.0.0",
    ],
    [
      "pnpm-lock.yaml",
      "lockfileVersion: '9.0'\npackages:\n  left@1.0.0: {}\nsnapshots:\n  left@1.0.0:\n    dependencies:\n      evil: 1.0.0(peer@2.0.0)\n",
      "evil 1.0.0",
    ],
    [
      "Cargo.lock",
      `version = 4\n${toml}source = "registry+"\ndependencies = ["evil 1.0.0"]\n`,
      "evil 1.0.0",
    ],
    ["poetry.lock", `${toml}[package.dependencies]\nevil = "^1.0"\n`, "evil >=1.0,<2"],
    ["uv.lock", `version = 1\n${toml}dependencies = [{ name = "evil" }]\n`, "evil"],
    [
      "composer.lock",
      {
        json: {
          packages: [
            {
              name: "a/left",
              version: "1.0.0",
              require: { "a/evil": "^1", php: "*", "ext-a": "*" },
            },
          ],
        },
      },
      "a/evil ^1",
    ],
    [
      "Gemfile.lock",
      "GEM\n  specs:\n    left (1.0.0)\n      bundler (>= 2)\n      evil (~> 1.0)\n",
      "evil ~> 1.0",
    ],
  ])("asks about that of a %s", (file, content, need) => {
    const { asked, unread } = audit({ [file]: content });
    expect(asked.filter((each) => !each.includes("left"))).toEqual([need]);
    expect(unread).toEqual([]);
  });

  it("counts one that leads past the registry", () => {
    const text = 'a@1:\n  version "1.0.0"\n  dependencies:\n    evil user/repo\n';
    expect(audit({ "yarn.lock": text }).unread).toEqual(["yarn.lock:1: git"]);
  });

  it("passes over a range that resolutions of the package.json replace", () => {
    const text =
      'left@1.0.0:\n  version "1.0.0"\n\na@1:\n  version "1.0.0"\n  dependencies:\n    left "^2.0.0"\n';
    const json = { resolutions: { "**/left": "1.0.0" } };
    const { asked } = audit({ "package.json": { json }, "yarn.lock": text });
    expect(asked).toEqual(["a 1.0.0", "left 1.0.0"]);
  });
});

describe("the audit of what stands outside of the lists of dependencies", () => {
  it("reads overrides of a pnpm-workspace.yaml", () => {
    const text = "packages: []\noverrides:\n  a: 1.0.0\n  b: user/repo\n";
    const found = audit({ "pnpm-workspace.yaml": text });
    expect(found.asked).toEqual(["a 1.0.0"]);
    expect(found.unread).toEqual([expect.stringMatching(/^pnpm-workspace\.yaml:\d: git$/)]);
  });

  it("counts dynamic dependencies of a pyproject.toml", () => {
    const text = '[project]\nname = "a"\ndynamic = ["version", "dependencies"]\n';
    expect(audit({ "pyproject.toml": text }).unread).toEqual(["pyproject.toml:3: dynamic"]);
  });
});

describe("the audit of workspaces in folders that the search passes over", () => {
  it.each(["dist/m", ".h", "target/*"])("counts %s where a lock file has it", (folder) => {
    const found = audit({
      "package.json": { json: { workspaces: [folder] } },
      "yarn.lock": '# yarn lockfile v1\n\n\nleft@^1.0.0:\n  version "1.0.0"\n',
    });
    expect(found.unread).toEqual([`${folder}:-: not_entered`]);
  });
});

describe("the audit of a member that a pattern names in a folder that the search passes over", () => {
  const member = { json: { dependencies: { left: "1.0.0" } } };

  it.each<[string, Case["files"]]>([
    ["a package.json", { "package.json": { json: { workspaces: ["packages/*"] } } }],
    ["a pnpm-workspace.yaml", { "pnpm-workspace.yaml": "packages:\n  - packages/*\n" }],
    ["a Cargo.toml", { "Cargo.toml": '[workspace]\nmembers = ["packages/*"]\n' }],
  ])("reports it for %s", (_what, files) => {
    const found = audit({ ...files, "packages/build/package.json": member });
    expect(found.unread).toEqual(["packages/build:-: not_entered"]);
  });

  it("reports no folder without a known file, and none that the pattern leaves out", () => {
    const found = audit({
      "package.json": { json: { workspaces: ["packages/*", "!packages/out"] } },
      "packages/dist/index.js": "",
      "packages/out/package.json": member,
      "other/build/package.json": member,
    });
    expect(found.unread).toEqual([]);
  });
});

describe("the audit of a manifest whose workspaces are in folders that the search passes over", () => {
  const lock =
    'version = 4\n[[package]]\nname = "m"\nversion = "1.0.0"\n[[package]]\nname = "root"\nversion = "1.0.0"\n';
  const crates = '[workspace]\nmembers = ["vendor/m", "a"]\nexclude = ["b"]\n';

  it.each<[string, Case["files"]]>([
    ["a Cargo.lock", { "Cargo.toml": crates, "Cargo.lock": lock }],
    ["a Cargo.toml", { "Cargo.toml": crates }],
    ["a package.json", { "package.json": { json: { workspaces: ["vendor/m", "a"] } } }],
    ["a pnpm-workspace.yaml", { "pnpm-workspace.yaml": 'packages:\n  - vendor/m\n  - "!b"\n' }],
    ["a pyproject.toml", { "pyproject.toml": '[tool.uv.workspace]\nmembers = ["vendor/m"]\n' }],
    ["a go.work", { "go.work": "use (\n ./vendor/m\n ./a\n)\n" }],
    ["a settings.gradle", { "settings.gradle": "include ':vendor:m', 'a'\ninclude ':x'\n" }],
    ["a build of a settings.gradle", { "settings.gradle.kts": 'includeBuild("vendor/m")\n' }],
    [
      "a folder of a settings.gradle",
      { "settings.gradle": "project(':a').projectDir = file(\"$rootDir/vendor/m\")\n" },
    ],
    [
      "a project of .NET",
      {
        "a/a.csproj":
          '<Project><ItemGroup><ProjectReference Include="..\\vendor\\m\\m.csproj;..\\b\\b.csproj"/></ItemGroup></Project>',
      },
    ],
  ])("counts those of %s", (_what, files) => {
    expect(audit(files).unread).toEqual(["vendor/m:-: not_entered"]);
  });
});

describe("the audit of a manifest whose workspaces are outside of the folder", () => {
  it.each<[string, Content]>([
    ["package.json", { json: { workspaces: ["../m"] } }],
    ["package.json", { json: { workspaces: { packages: ["a/../../m"] } } }],
    ["pnpm-workspace.yaml", "packages:\n  - ../m\n"],
    ["pyproject.toml", '[tool.uv.workspace]\nmembers = ["../m"]\n'],
    ["settings.gradle", "includeFlat 'm'\n"],
    ["settings.gradle", "includeBuild '/m'\n"],
    [
      "a.csproj",
      '<Project><ItemGroup><ProjectReference Include="..\\m\\m.csproj"/></ItemGroup></Project>',
    ],
  ])("counts the %s", (name, content) => {
    expect(audit({ [name]: content }).unread).toEqual([`${name}:-: outside`]);
  });

  it("still reads the packages of that manifest", () => {
    const json = { workspaces: ["../m"], dependencies: { left: "1.0.0" } };
    const found = audit({ "package.json": { json } });
    expect(found).toEqual({ asked: ["left 1.0.0"], unread: ["package.json:-: outside"] });
  });

  it("still reads a settings file that it counts to its workspaces", () => {
    const json = { workspaces: [".npmrc"], dependencies: { left: "1.0.0" } };
    const found = audit({
      "package.json": { json },
      ".npmrc": "registry=https://packages.example/\n",
    });
    expect(found.unread).toContain(".npmrc:-: not_entered");
    expect(found.unread.length).toBeGreaterThan(1);
  });

  it.each([
    ["settings.gradle", "include names"],
    ["settings.gradle", 'include "$name"'],
    ["settings.gradle", "names.each { include it }"],
    ["settings.gradle", "project(':a').projectDir = folder"],
    [
      "a.csproj",
      '<Project><ItemGroup><ProjectReference Include="$(X)\\m.csproj"/></ItemGroup></Project>',
    ],
  ])("counts folders that a %s computes: %j", (name, text) => {
    expect(audit({ [name]: `${text}\n` }).unread).toEqual([`${name}:1: expression`]);
  });
});

describe("the audit of a project of .NET", () => {
  const project = (body: string) => `<Project>\n${body}\n</Project>`;
  const reference = (name: string, version: string) =>
    `<ItemGroup><PackageReference Include="${name}" Version="${version}"/></ItemGroup>`;
  const lockOf = (packages: unknown): Content => ({
    json: { version: 1, dependencies: { net8: packages } },
  });
  const left = { type: "Direct", resolved: "1.0.0" };

  it.each<[string, string, readonly string[]]>([
    ["a need", reference("evil", "1.0.0"), ["evil 1.0.0", "left 1.0.0"]],
    ["a later version", reference("left", "2.0.0"), ["left 1.0.0", "left 2.0.0"]],
    [
      "a later version of four numbers",
      reference("left", "1.0.0.1"),
      ["left 1.0.0", "left 1.0.0.1"],
    ],
    ["no need", reference("Left", "1.0"), ["left 1.0.0"]],
    ["no need of a range", reference("left", "(0.1,2.0)"), ["left 1.0.0"]],
  ])("compares the lock file with a project that has %s more", (_what, body, asked) => {
    const files = { "a.csproj": project(body), "packages.lock.json": lockOf({ left }) };
    expect(audit(files)).toEqual({ asked, unread: [] });
  });

  it("asks about a need that the lock file has no entry for", () => {
    const needing = { ...left, dependencies: { evil: "[1.0.0, )" } };
    const { asked } = audit({ "packages.lock.json": lockOf({ left: needing }) });
    expect(asked).toEqual(["evil [1.0.0, )", "left 1.0.0"]);
  });

  it.each(["a.csproj", "Directory.Build.props", "Directory.Build.targets"])(
    "reads packages and sources of a %s",
    (name) => {
      const sources = [
        "<PropertyGroup><RestoreSources>$(RestoreSources);https://evil.example/v3;../packages</RestoreSources></PropertyGroup>",
        "<Choose><When><PropertyGroup><restoreAdditionalProjectSources>$(Elsewhere)</restoreAdditionalProjectSources></PropertyGroup></When></Choose>",
      ];
      const text = project([reference("left", "1.0.0"), ...sources].join("\n"));
      expect(audit({ [name]: text })).toEqual({
        asked: ["left 1.0.0"],
        unread: [`${name}:3: local`, `${name}:3: registry`, `${name}:4: environment_variable`],
      });
    },
  );
});

describe("the audit of a pom.xml", () => {
  it("asks about plugins, extensions and a parent that is elsewhere", () => {
    const named = (id: string, more = "") =>
      `<groupId>g</groupId><artifactId>${id}</artifactId><version>1.0</version>${more}`;
    const plugins = (id: string) => `<plugins><plugin>${named(id)}</plugin></plugins>`;
    const usual = "<plugins><plugin><artifactId>usual</artifactId></plugin></plugins>";
    const text = [
      `<project><parent>${named("parent", "<relativePath/>")}</parent>`,
      `<build>${plugins("run")}<pluginManagement>${plugins("managed")}</pluginManagement>`,
      `<extensions><extension>${named("extension")}</extension></extensions></build>`,
      `<profiles><profile><build>${usual}</build></profile></profiles></project>`,
    ].join("\n");
    expect(audit({ "pom.xml": text }).asked).toEqual([
      "g:extension 1.0",
      "g:managed 1.0",
      "g:parent 1.0",
      "g:run 1.0",
      "org.apache.maven.plugins:usual",
    ]);
  });
});

describe("the audit of a crate in a folder that is not entered", () => {
  const lock =
    'version = 3\n[[package]]\nname = "a"\nversion = "0.1.0"\ndependencies = ["time"]\n[[package]]\nname = "time"\nversion = "0.1.40"\n';

  it.each([
    ["Cargo.toml", "vendor/time"],
    ["Cargo.toml", "./vendor/time"],
    ["a/Cargo.toml", "../vendor/time"],
  ])("counts what %s has at %s, also with a lock file", (manifest, path) => {
    const text = `[package]\nname = "a"\n[dependencies]\ntime = { path = "${path}" }\n`;
    const own = '[package]\nname = "time"\n[dependencies]\nevil = "1"\n';
    const files = { "Cargo.lock": lock, [manifest]: text, "vendor/time/Cargo.toml": own };
    expect(audit(files)).toEqual({ asked: [], unread: ["vendor/time:-: not_entered"] });
  });
});

it.each(["dependencies = []", "workspace = { dependencies = 1 }"])(
  "the audit of a Cargo.toml counts %j, which is not a table",
  (text) => {
    const [only, ...others] = audit({ "Cargo.toml": `${text}\n` }).unread;
    expect(only).toMatch(/^Cargo\.toml:.: invalid_line$/);
    expect(others).toEqual([]);
  },
);
