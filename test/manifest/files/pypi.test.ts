import { describe, expect, it } from "vitest";
import { describeFile } from "./describe-file.ts";

const poetryProject = `[project]
name = "mine"
dependencies = ["app>=1"]

[dependency-groups]
dev = ["tool"]

[build-system]
requires = ["builder>=3"]
`;

describe("a poetry.lock", () => {
  const text = `[[package]]
name = "app"
version = "1.2.0"
optional = false

[package.dependencies]
Deep_Dep = ">=3"

[[package]]
name = "deep-dep"
version = "3.0.1"

[[package]]
name = "fork"
version = "0.1.0"

[package.source]
type = "git"
url = "https://git.example/fork.git"

[[package]]
name = "tool"
version = "2.0.5"
groups = ["main", "dev"]

[metadata]
lock-version = "2.1"
`;

  it("[audit.formats] has who needs whom; the pyproject.toml beside it what is direct", () => {
    expect(describeFile("poetry.lock", text, { "pyproject.toml": poetryProject })).toEqual({
      packages: [
        "1: app 1.2.0 direct production",
        "21: tool 2.0.5 direct production+development",
        "9: deep-dep 3.0.1 transitive production [app@1.2.0 > deep-dep@3.0.1]",
      ],
      unparsed: ["13: fork@0.1.0 https://git.example/fork.git: git"],
    });
  });
});

describe("a uv.lock", () => {
  it("has the project in it, and several versions of a name", () => {
    const text = `version = 1

[[package]]
name = "app"
version = "1.2.0"
source = { registry = "https://index.example/simple" }
dependencies = [{ name = "deep", version = "3.0.1" }]

[[package]]
name = "deep"
version = "3.0.1"
source = { registry = "https://index.example/simple" }

[[package]]
name = "deep"
version = "2.0.0"
source = { registry = "https://index.example/simple" }

[[package]]
name = "fork"
version = "0.1.0"
source = { git = "https://git.example/fork.git" }

[[package]]
name = "mine"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "app" }, { name = "fork" }]

[package.optional-dependencies]
fast = [{ name = "deep", version = "2.0.0" }]

[package.dev-dependencies]
dev = [{ name = "app" }]
`;
    expect(describeFile("uv.lock", text)).toEqual({
      packages: [
        "3: app 1.2.0 direct production+development",
        "14: deep 2.0.0 direct fast",
        "9: deep 3.0.1 transitive production+development [app@1.2.0 > deep@3.0.1]",
      ],
      unparsed: [
        "19: fork@0.1.0 https://git.example/fork.git: git",
        "3: index.example: registry: 3 of its packages may come from this host",
      ],
    });
  });
});

describe("a Pipfile.lock", () => {
  const text = JSON.stringify(
    {
      _meta: { sources: [] },
      default: { app: { version: "==1.2.0" }, deep: { version: "==3.0.1" } },
      develop: {
        deep: { version: "==3.0.2" },
        tool: { version: "==2.0.5" },
        fork: { git: "https://git.example/f.git", ref: "a" },
      },
    },
    undefined,
    1,
  );

  it("has no ways; the Pipfile beside it says what is direct", () => {
    const pipfile = '[packages]\napp = "*"\n\n[dev-packages]\ntool = "~=2.0"\n';
    expect(describeFile("Pipfile.lock", text, { Pipfile: pipfile })).toEqual({
      packages: [
        "6: app 1.2.0 direct production",
        "17: tool 2.0.5 direct development",
        "9: deep 3.0.1 transitive production",
        "14: deep 3.0.2 transitive development",
      ],
      unparsed: ["20: fork https://git.example/f.git: git"],
    });
    expect(describeFile("Pipfile.lock", text).packages[0]).toBe("6: app 1.2.0 unknown production");
  });
});

describe("a Pipfile", () => {
  it("has its categories, and versions as PEP 440 has them", () => {
    const text = `[[source]]
name = "index"

[packages]
app = "*"
exact = "==1.2.0"
fork = {git = "https://git.example/fork.git"}

[dev-packages]
tool = {version = "~=2.0", extras = ["fast"]}

[requires]
python_version = "3.12"
`;
    expect(describeFile("Pipfile", text)).toEqual({
      packages: [
        "5: app () direct production",
        "6: exact 1.2.0 direct production",
        "10: tool (~=2.0) direct development",
      ],
      unparsed: ['7: fork = {"git":"https://git.example/fork.git"}: git'],
    });
  });
});

describe("a pyproject.toml", () => {
  it("has the tables of the standard", () => {
    expect(describeFile("pyproject.toml", poetryProject)).toEqual({
      packages: [
        "3: app (>=1) direct production",
        "6: tool () direct development",
        "9: builder (>=3) direct build",
      ],
      unparsed: [],
    });
  });

  it("has those of Poetry, whose carets are ranges, and the sources of uv", () => {
    const text = `[project]
dependencies = ["local-one"]

[tool.poetry.dependencies]
python = "^3.12"
app = "^0.2.3"
near = "~1.2"
wild = "1.*"
here = { path = "../here" }

[tool.poetry.group.docs.dependencies]
pages = ">=1,<2"

[tool.uv.sources]
local-one = { workspace = true }
`;
    expect(describeFile("pyproject.toml", text)).toEqual({
      packages: [
        "6: app (>=0.2.3,<0.3) direct production",
        "7: near (>=1.2,<1.3) direct production",
        "8: wild (==1.*) direct production",
        "12: pages (>=1,<2) direct docs",
      ],
      unparsed: ["2: local-one: local", '9: here = {"path":"../here"}: local'],
    });
  });
});

describe("a requirements.txt", () => {
  it("reads what it includes, and holds versions to its constraints", () => {
    const files = {
      "base/more.txt": "-r ../base/more.txt\nright==2.0\n",
      "pins.txt": "left==1.5\n",
    };
    const text = "-r base/more.txt\n-c pins.txt\n-r gone.txt\nLeft\n";
    expect(describeFile("requirements.txt", text, files)).toEqual({
      packages: ["4: Left 1.5 direct production", "2: right 2.0 direct production"],
      unparsed: ["3: -r gone.txt: include: that file was not sent"],
    });
  });

  it.each([
    ["of 500 clauses", 500, ">=1.0"],
    ["of 21 short clauses", 21, ">0"],
    ["of 600 characters", 3, `==${"1".repeat(198)}`],
  ])("reports a specifier %s as too long", (_name, count, clause) => {
    const text = `a${Array.from({ length: count }, () => clause).join(",")}\nb==1\n`;
    const { packages, unparsed } = describeFile("requirements.txt", text);
    expect(packages).toEqual(["2: b 1 direct production"]);
    expect(unparsed).toEqual([expect.stringMatching(/^1: .*: invalid_specifier: it is too long$/)]);
  });

  it("of pip-compile says who needs whom", () => {
    const text = `# This file is autogenerated by pip-compile with Python 3.12
app==1.2.0 \\
    --hash=sha256:aa
    # via -r requirements.in
deep==3.0.1
    # via
    #   app
    #   -r requirements.in
far==4.0.0  # via app
`;
    expect(describeFile("requirements.txt", text).packages).toEqual([
      "2: app 1.2.0 direct production",
      "5: deep 3.0.1 direct production",
      "9: far 4.0.0 transitive production [app > far]",
    ]);
  });
});
