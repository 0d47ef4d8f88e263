import { describe, expect, it } from "vitest";
import { audit, type Case } from "./audit-project.ts";

const pins = { "pins.txt": "inner==1.0\nfork @ git+https://git.example/fork\n" };

describe("the audit of a setup.cfg", () => {
  const extras = "options.extras_require";

  it("reads what the project installs, its extras and its build", () => {
    const text = [
      "[metadata]",
      "name = mine",
      "[options]",
      "install-requires =",
      "    # why",
      "    left>=1.0 ; python_version > '3'",
      "    fork @ git+https://git.example/fork",
      "setup_requires: build-a; build-b==2.0",
      `[${extras}]`,
      "test = right[x]",
      "[flake8]",
      "test = nothing",
      "[aliases]",
      "install_requires = nothing",
    ].join("\n");
    expect(audit({ "setup.cfg": text })).toEqual({
      asked: ["build-a", "build-b ==2.0", "left >=1.0", "right"],
      unread: ["setup.cfg:7: git"],
    });
  });

  it("reads the files that it names, below the folder alone", () => {
    const text =
      "[options]\ninstall_requires = file: pins.txt, ../gone.txt\ndependency_links = https://a.example\n";
    expect(audit({ "setup.cfg": text, ...pins })).toEqual({
      asked: ["inner ==1.0"],
      unread: ["pins.txt:2: git", "setup.cfg:2: include", "setup.cfg:3: index_option"],
    });
  });

  it("reports nothing of one that has only the settings of other tools", () => {
    expect(audit({ "setup.cfg": "[flake8]\nmax-line-length = 100\n" })).toEqual({
      asked: [],
      unread: [],
    });
  });
});

describe("the audit of files of requirements", () => {
  it.each(["requirements3.txt", "dev-requirements3.txt", "requirements3-dev.txt"])(
    "reads %s",
    (name) => {
      expect(audit({ [name]: "a==1.0\n" }).asked).toEqual(["a ==1.0"]);
    },
  );
});

describe("the audit of a setup.py", () => {
  it.each([
    "from setuptools import setup\nsetup(install_requires=['evil'])\n",
    "import setuptools\nsetuptools.setup()\rimport other\n",
    "from setuptools import setup\nsetup() # a\nexec('x')\n",
    "# coding: utf-7\n# +AAo-import evil\n",
  ])("counts the program %j, which is not run", (text) => {
    expect(audit({ "setup.py": text })).toEqual({ asked: [], unread: ["setup.py:-: expression"] });
  });

  it("passes over one that says nothing by itself", () => {
    const text =
      "#!/usr/bin/env python\nfrom setuptools import setup\n\nif __name__ == '__main__':\n    setup()\n";
    expect(audit({ "setup.py": text })).toEqual({ asked: [], unread: [] });
  });
});

describe("the audit of a hatch.toml", () => {
  it("asks about the dependencies of environments, hooks and plugins", () => {
    const text = [
      "[env]",
      'requires = ["hatch-pip-compile"]',
      "[ envs.default ]",
      'dependencies = ["coverage[toml]>=6.5", "pytest"]',
      "[ envs.lint ]",
      "detached = true",
      'extra-dependencies = ["ruff==0.1.0", "fork @ git+https://git.example/fork"]',
      "[ envs.lint.scripts ]",
      'style = "ruff {args:.}"',
      "[ envs.docs.env-vars ]",
      'UV_EXTRA_INDEX_URL = "https://a.example/simple"',
      "[ build.targets.wheel.hooks.mypyc ]",
      'dependencies = ["hatch-mypyc"]',
    ].join("\n");
    expect(audit({ "hatch.toml": text })).toEqual({
      asked: ["coverage >=6.5", "hatch-mypyc", "hatch-pip-compile", "pytest", "ruff ==0.1.0"],
      unread: ["hatch.toml:-: registry", "hatch.toml:7: git"],
    });
  });
});

describe("the audit of a pixi.toml", () => {
  it("asks about packages of PyPI and counts those of conda", () => {
    const text = [
      "[workspace]",
      'channels = ["conda-forge"]',
      'platforms = ["linux-64"]',
      "[dependencies]",
      'python = ">=3.11"',
      "[pypi-dependencies]",
      'left = "==1.0"',
      'right = { version = "*", extras = ["x"] }',
      'own = { path = ".", editable = true }',
      "[ feature.test.pypi-dependencies ]",
      'pytest = ">=8"',
      "[ target.win-64.dependencies ]",
      'vs2019_win-64 = "*"',
      "[tasks]",
      'test = "pytest"',
    ].join("\n");
    expect(audit({ "pixi.toml": text })).toEqual({
      asked: ["left ==1.0", "pytest >=8", "right"],
      unread: ["pixi.toml:13: conda", "pixi.toml:5: conda", "pixi.toml:9: local"],
    });
  });
});

describe("the audit of an environment.yml", () => {
  it.each(["environment.yml", "environment-dev.yaml", "conda-environment.yml"])(
    "asks about packages of pip in %s and counts those of conda",
    (name) => {
      const text =
        "name: a\ndependencies:\n  - python=3.12\n  - pip:\n    - left==1.0\n    - -r pins.txt\n    - -e .\n";
      expect(audit({ [name]: text, ...pins })).toEqual({
        asked: ["inner ==1.0", "left ==1.0"],
        unread: [`${name}:2: conda`, `${name}:2: local`, "pins.txt:2: git"].toSorted(),
      });
    },
  );

  it("counts what is neither", () => {
    const text = "dependencies:\n  - npm: [a]\n  - [b]\n";
    expect(audit({ "environment.yml": text }).unread).toEqual([
      "environment.yml:1: invalid_line",
      "environment.yml:1: invalid_line",
    ]);
  });
});

function pyproject(text: string, more: Case["files"] = {}): Case["files"] {
  return { "pyproject.toml": text, ...more };
}

describe("the audit of files that a pyproject.toml leaves its dependencies to", () => {
  const dynamic = '[project]\nname = "a"\ndynamic = ["dependencies", "optional-dependencies"]\n';

  it("reads them", () => {
    const text = `${dynamic}[tool.setuptools.dynamic]\ndependencies = { file = ["pins.txt"] }\noptional-dependencies.x = { file = "more.txt" }\n`;
    expect(audit(pyproject(text, { ...pins, "more.txt": "more\n" }))).toEqual({
      asked: ["inner ==1.0", "more"],
      unread: ["pins.txt:2: git"],
    });
  });

  it("counts those that are not below the folder, and what is not from a file", () => {
    const text = `${dynamic}[tool.setuptools.dynamic]\ndependencies = { file = ["../a.txt", "/etc/passwd"] }\noptional-dependencies = { x = { attr = "a.b" }, y = { file = "y.txt" } }\n`;
    expect(audit(pyproject(text)).unread).toEqual([
      "pyproject.toml:3: dynamic",
      "pyproject.toml:5: include",
      "pyproject.toml:5: include",
      "pyproject.toml:6: include",
    ]);
  });
});

describe("the audit of what takes the place of dependencies", () => {
  it.each([
    [
      "overrides and constraints of uv",
      pyproject(
        '[ tool.uv ]\noverride-dependencies = ["a==1.0", "b @ git+https://git.example/b"]\nconstraint-dependencies = ["c<2"]\nbuild-constraint-dependencies = ["d==3"]\n',
      ),
      ["a ==1.0", "c <2", "d ==3"],
      ["pyproject.toml:2: git"],
    ],
    [
      "those of a uv.toml",
      {
        "uv.toml":
          'override-dependencies = ["a==1.0", "b @ git+https://git.example/b"]\nconstraint-dependencies = ["c<2"]\n',
      },
      ["a ==1.0", "c <2"],
      ["uv.toml:1: git"],
    ],
    [
      "overrides of PDM",
      pyproject(
        '[ tool.pdm.resolution.overrides ]\na = "1.0"\nb = "git+https://git.example/b"\nc = ">=2"\n',
      ),
      ["a ==1.0", "c >=2"],
      ["pyproject.toml:3: git"],
    ],
    [
      "overrides of an early PDM",
      pyproject('[ tool.pdm.overrides ]\na = "1.0"\n'),
      ["a ==1.0"],
      [],
    ],
  ] as const)("reads %s", (_what, files, asked, unread) => {
    expect(audit(files)).toEqual({ asked, unread });
  });
});

describe("the audit of constraints of pip", () => {
  it.each<[string, Case["files"], readonly string[]]>([
    [
      "that nothing asks for",
      { "base/a.txt": "b==1\nc<2\n", "requirements.txt": "a\n-c base/a.txt\n" },
      ["a", "b ==1", "c <2"],
    ],
    ["of a file of their own", { "constraints-dev.txt": "b==1\n" }, ["b ==1"]],
    ["in a folder of requirements", { "requirements/base.txt": "a==1\n" }, ["a ==1"]],
  ])("asks about versions %s", (_what, files, asked) => {
    expect(audit(files)).toEqual({ asked, unread: [] });
  });
});

describe("the audit of the tables of tools", () => {
  it.each([
    [
      "environments of Hatch",
      '[tool.hatch.envs.x]\ndependencies = ["a==1"]\nextra-dependencies = ["b"]\n',
    ],
    [
      "overrides of Hatch",
      '[tool.hatch.envs.x.overrides]\nmatrix.y.dependencies = [{ value = "a==1" }, "b"]\n',
    ],
    ["builds of Hatch", '[tool.hatch.build.hooks.x]\ndependencies = ["a==1", "b"]\n'],
    ["Rye", '[tool.rye]\ndev-dependencies = ["a==1", "b"]\n'],
    ["Flit", '[tool.flit.metadata]\nrequires = ["a==1"]\nrequires-extra.x = ["b"]\n'],
    [
      "Pixi",
      '[tool.pixi.pypi-dependencies]\na = "==1"\n[tool.pixi.feature.x.pypi-dependencies]\nb = { version = "*" }\n',
    ],
    [
      "forced lists of Hatch",
      '[tool.hatch.envs.x.overrides]\nplatform.windows.set-dependencies = ["a==1", "b"]\n',
    ],
    ["plugins of Hatch", '[tool.hatch.env]\nrequires = ["a==1", "b"]\n'],
    ["plugins of PDM", '[tool.pdm]\nplugins = ["a==1", "b"]\n'],
    ["groups of PDM", '[tool.pdm.dev-dependencies]\nx = ["a==1"]\ny = ["b"]\n'],
    [
      "overrides of Pixi",
      '[tool.pixi.pypi-options.dependency-overrides]\na = "==1"\n[tool.pixi.target.x.pypi-dependencies]\nb = "*"\n',
    ],
    ["plugins of Poetry", '[tool.poetry.requires-plugins]\na = "1"\nb = "*"\n'],
  ])("asks about %s", (_what, text) => {
    const { asked, unread } = audit(pyproject(text));
    expect({ asked, unread }).toEqual({ asked: ["a ==1", "b"], unread: [] });
  });

  it.each([
    ['[ tool.uv.pip ]\nextra-index-url = ["https://a.example/simple"]\n', "registry"],
    ['[ tool.uv.pip ]\nindex-url = "https://a.example/simple"\n', "registry"],
    ['[ tool.uv.pip ]\nfind-links = ["./wheels"]\n', "local"],
    ["[ tool.uv.pip ]\nno-index = true\n", "index_option"],
    ["[ tool.uv ]\nno-index = true\n", "index_option"],
    ['[[ tool.uv.index ]]\nurl = "https://a.example/simple"\n', "registry"],
    ['[[ tool.pdm.source ]]\nname = "a"\nurl = "https://a.example/simple"\n', "registry"],
    ['[ tool.hatch.envs.x.env-vars ]\nUV_EXTRA_INDEX_URL = "https://a.example"\n', "registry"],
    ['[ tool.hatch.envs.x.env-vars ]\nPIP_INDEX_URL = "{env:INDEX}"\n', "url"],
    ['[ tool.hatch.envs.x.env-vars ]\nPIP_CONFIG_FILE = "pip.ini"\n', "index_option"],
    ['[ tool.pixi.pypi-options ]\nextra-index-urls = ["https://a.example"]\n', "index_option"],
  ])("reports the index in %j, where no dependency is next to it", (text, word) => {
    expect(audit(pyproject(text))).toEqual({
      asked: [],
      unread: [expect.stringMatching(new RegExp(`^pyproject\\.toml:[-\\d]: ${word}$`))],
    });
  });

  it("reports the index that a package of Pixi has for itself", () => {
    const text =
      '[tool.pixi.pypi-dependencies]\na = { version = "==1", index = "https://a.example" }\n';
    expect(audit(pyproject(text))).toEqual({
      asked: ["a ==1"],
      unread: ["pyproject.toml:2: registry"],
    });
  });

  it("counts packages of conda that a package of Pixi needs, and a number in place of a table", () => {
    const text =
      '[tool.pixi.package.run-dependencies]\na = "*"\n[tool.pixi.package.build]\ndependencies = 1\n';
    expect(audit(pyproject(text)).unread).toEqual([
      "pyproject.toml:-: invalid_line",
      "pyproject.toml:2: conda",
    ]);
  });

  it("counts packages of conda and indexes of Pixi", () => {
    const text = '[tool.pixi.dependencies]\na = "*"\n[tool.pixi.pypi-options]\nno-index = true\n';
    expect(audit(pyproject(text)).unread).toEqual([
      "pyproject.toml:-: index_option",
      "pyproject.toml:2: conda",
    ]);
  });

  it.each([
    "[project]\ndependencies = {}\n",
    "[project]\noptional-dependencies.x = 1\n",
    "[dependency-groups]\nx = 1\n",
    '[dependency-groups]\nx = [{ include-group = "y" }, { other = "z" }]\ny = []\n',
    '[project]\ndependencies = [["a"]]\n',
    "[build-system]\nrequires = 1\n",
    "[ tool.poetry ]\ndependencies = [1]\n",
  ])("counts %j, which is not a list of texts", (text) => {
    expect(audit(pyproject(text))).toEqual({
      asked: [],
      unread: ["pyproject.toml:-: invalid_line"],
    });
  });
});

describe("the audit of a pdm.lock", () => {
  const lock = [
    "[metadata]",
    'lock_version = "4.5.0"',
    "[[package]]",
    'name = "a"',
    'version = "1"',
    'groups = ["default"]',
    'dependencies = ["B_x>=1", "gone<2"]',
    "[[package]]",
    'name = "b-x"',
    'version = "1.5"',
    "[[package]]",
    'name = "fork"',
    'version = "1"',
    'git = "https://git.example/fork"',
  ].join("\n");

  it("asks about its packages, what they need and it lacks, and what a project has more", () => {
    const files = pyproject('[project]\ndependencies = ["a>=1", "more"]\n', { "pdm.lock": lock });
    expect(audit(files)).toEqual({
      asked: ["a 1", "b-x 1.5", "gone <2", "more"],
      unread: ["pdm.lock:11: git"],
    });
  });

  it("counts a pdm.lock without metadata", () => {
    expect(audit({ "pdm.lock": "[x]\n" }).unread).toEqual(["pdm.lock:1: invalid_lock"]);
  });
});

describe("the audit of a pyproject.toml whose packages come from an index for each platform", () => {
  const indexes =
    '[[tool.uv.index]]\nname = "a"\nurl = "https://a.example/whl"\nexplicit = true\n[[tool.uv.index]]\nname = "b"\nurl = "https://b.example/whl"\nexplicit = true\n';
  const project = '[project]\nname = "p"\ndependencies = ["torch"]\n[tool.uv.sources]\n';

  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      "two indexes",
      `[{ index = "a", marker = "x" }, { index = "b", marker = "y" }]`,
      ["torch"],
      ["registry", "registry"],
    ],
    ["an unknown index", `[{ index = "c" }]`, ["torch"], ["registry"]],
    [
      "an index and a repository",
      `[{ index = "a" }, { git = "https://c.example/x" }]`,
      [],
      ["git", "registry"],
    ],
  ])("reports the hosts of %s", (_what, source, asked, unread) => {
    const text = `${project}torch = ${source}\n${indexes}`;
    const found = audit({ "pyproject.toml": text });
    expect(found.asked).toEqual(asked);
    const words = found.unread.map((row) => row.split(": ").at(-1) ?? "");
    expect(words.toSorted((left, right) => (left < right ? -1 : 1))).toEqual(unread);
  });

  it("reports the host of other packages where a marker limits the source", () => {
    const other = '[[tool.uv.index]]\nurl = "https://b.example/whl"\n';
    const own = '[[tool.uv.index]]\nname = "a"\nurl = "https://a.example"\nexplicit = true\n';
    const text = `${project}torch = { index = "a", marker = "x" }\n${own}${other}`;
    expect(audit({ "pyproject.toml": text }).unread).toHaveLength(2);
  });
});

describe("the audit of a Python project whose extras name the project", () => {
  const [optional, extras] = ["project.optional-dependencies", "options.extras_require"];

  it.each<[string, Record<string, string>]>([
    [
      "a pyproject.toml",
      {
        "pyproject.toml": `[project]\nname = "My_App"\ndependencies = ["a==1"]\n[${optional}]\nb = ["b==2"]\nall = ["my-app[b]"]\n`,
      },
    ],
    [
      "a setup.cfg",
      {
        "setup.cfg": `[options]\ninstall_requires = a==1\n[${extras}]\nb = b==2\nall = my-app[b]\n[metadata]\nname = my.app\n`,
      },
    ],
  ])("asks about the other packages of %s", (_what, files) => {
    const { asked, unread } = audit(files);
    expect(asked).toEqual(["a ==1", "b ==2"]);
    expect(unread).toEqual([]);
  });

  it("reports an address under the name of the project", () => {
    const text = `[project]\nname = "app"\n[${optional}]\nall = ["app @ git+https://a.example/b"]\n`;
    expect(audit({ "pyproject.toml": text }).unread).toEqual(["pyproject.toml:4: git"]);
  });
});

it("the audit of a Python project asks about an old version in a lock file that breaks the rules of today", () => {
  const files = {
    "pyproject.toml": '[project]\nname = "app"\ndependencies = ["pytz>=2004"]\n',
    "poetry.lock": '[[package]]\nname = "pytz"\nversion = "2004d"\n',
  };
  expect(audit(files).asked).toEqual(["pytz 2004d", "pytz >=2004"]);
});
