import { expect, it } from "vitest";
import { describeFile } from "./describe-file.ts";

const gems = (...lines: readonly string[]) => `${lines.join("\n")}\n`;
const python = (name: string, ...more: readonly string[]) =>
  `[[package]]\nname = "${name}"\nversion = "1.0"\n${more.join("\n")}\n`;

interface Lock {
  readonly format: string;
  readonly text: string;
  readonly beside?: Readonly<Record<string, string>>;
  /** `name version` of the packages, and the texts with their reason up to its colon. */
  readonly found: readonly string[];
}

function found({ format, text, beside }: Lock): string[] {
  const { packages, unparsed } = describeFile(format, text, beside);
  return [
    ...packages.map((row) => row.split(" ").slice(1, 3).join(" ")),
    ...unparsed.map((row) => row.split(": ").slice(1, 3).join(": ")),
  ].toSorted();
}

it.each<[string, Lock]>([
  [
    "a version of a repository and of an index of a uv.lock",
    {
      format: "uv.lock",
      text: `version = 1\n${python("a", 'source = { git = "https://b.example/a.git?rev=1#1" }')}${python("a", 'source = { registry = "https://c.example/simple" }')}`,
      found: ["a 1.0", "a@1.0 https://b.example/a.git: git", "c.example: registry"],
    },
  ],
  [
    "a version of two indexes of a uv.lock",
    {
      format: "uv.lock",
      text: `version = 1\n${python("a", 'source = { registry = "https://b.example/simple" }')}${python("a", 'source = { registry = "https://c.example/simple" }')}`,
      found: ["a 1.0", "b.example: registry", "c.example: registry"],
    },
  ],
  [
    "a package of an index whose source has a folder as well of a uv.lock",
    {
      format: "uv.lock",
      text: `version = 1\n${python("a", 'source = { registry = "https://b.example/simple", editable = "." }')}`,
      found: ["a 1.0", "b.example: registry"],
    },
  ],
  [
    "folders outside of the project of a uv.lock",
    {
      format: "uv.lock",
      text: `version = 1\n${python("a", 'source = { directory = "b/../../a" }')}${python("c", 'source = { editable = "/c" }')}`,
      found: ["a@1.0 b/../../a: local", "c@1.0 /c: local"],
    },
  ],
  [
    "a version of a repository and of the index of a poetry.lock",
    {
      format: "poetry.lock",
      text: `${python("a", "[package.source]", 'type = "git"', 'url = "https://b.example/a.git"')}${python("a")}`,
      found: ["a 1.0", "a@1.0 https://b.example/a.git: git"],
    },
  ],
  [
    "categories of a Pipfile.lock that are called alike here",
    {
      format: "Pipfile.lock",
      text: JSON.stringify({
        _meta: {},
        default: { a: { version: "==1.0" } },
        production: { a: { version: "==2.0" } },
        develop: { b: { version: "==1.0" } },
        development: { b: { version: "==2.0" } },
      }),
      found: ["a 1.0", "a 2.0", "b 1.0", "b 2.0"],
    },
  ],
  [
    "two spellings of a name of a Pipfile.lock",
    {
      format: "Pipfile.lock",
      text: JSON.stringify({ default: { "a-b": { version: "==1.0" }, a_b: { version: "==2.0" } } }),
      found: ["a-b 1.0", "a_b 2.0"],
    },
  ],
  [
    "a version of a repository and of a source of a Gemfile.lock",
    {
      format: "Gemfile.lock",
      text: gems(
        "GIT",
        "  remote: https://b.example/a.git",
        "  specs:",
        "    a (1.0)",
        "",
        "GEM",
        "  specs:",
        "    a (1.0)",
      ),
      found: ["a 1.0", "a@1.0 https://b.example/a.git: git"],
    },
  ],
  [
    "a version of two sources of a Gemfile.lock",
    {
      format: "Gemfile.lock",
      text: gems(
        "GEM",
        "  remote: https://b.example/",
        "  specs:",
        "    a (1.0-x86_64-linux)",
        "",
        "GEM",
        "  remote: https://c.example/",
        "  specs:",
        "    a (1.0)",
      ),
      found: ["a 1.0", "b.example: registry", "c.example: registry"],
    },
  ],
  [
    "what the builds of a gem for several platforms need",
    {
      format: "Gemfile.lock",
      text: gems("GEM", "  specs:", "    a (1.0)", "      b", "    a (1.0-java)", "      c"),
      found: ["a 1.0", "b ()", "c ()"],
    },
  ],
  [
    "blocks of a yarn.lock that share their first descriptor",
    {
      format: "yarn.lock",
      text: '# yarn lockfile v1\n\na@^1, a@^2:\n  version "2.0.0"\n\na@^1:\n  version "1.5.0"\n',
      found: ["a 1.5.0", "a 2.0.0"],
    },
  ],
  [
    "the packages of a pnpm-lock.yaml of version 6 that has snapshots",
    {
      format: "pnpm-lock.yaml",
      text: "lockfileVersion: '6.0'\nsnapshots: {}\npackages:\n  /a@1.0.0:\n    resolution: {}\n    dependencies:\n      b: 2.0.0\n",
      found: ["a 1.0.0", "b 2.0.0"],
    },
  ],
  [
    "a package of a pnpm-lock.yaml that no snapshot has",
    {
      format: "pnpm-lock.yaml",
      text: "lockfileVersion: '9.0'\nsnapshots:\n  a@1.0.0(b@1.0.0): {}\npackages:\n  a@1.0.0: {}\n  b@1.0.0: {}\n",
      found: ["a 1.0.0", "b 1.0.0"],
    },
  ],
  [
    "the host of a package of pnpm that is patched",
    {
      format: "pnpm-lock.yaml",
      text: "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {tarball: https://b.example/a/-/a-1.0.0.tgz}\n  c@1.0.0:\n    resolution: {tarball: https://b.example/o.tgz}\nsnapshots:\n  a@1.0.0(patch_hash=1): {}\n  c@1.0.0(patch_hash=1): {}\n",
      found: [
        "a 1.0.0",
        "a@1.0.0: local",
        "b.example: registry",
        "c@1.0.0 https://b.example/o.tgz: url",
      ],
    },
  ],
  [
    "the host of a package of Yarn that is patched",
    {
      format: "yarn.lock",
      text: '__metadata:\n  version: 8\n"a@patch:a@npm%3A1.0.0#./a.patch":\n  version: 1.0.0\n  resolution: "a@patch:a@npm%3A1.0.0%3A%3A__archiveUrl=https%253A%252F%252Fb.example%252Fa%252F-%252Fa-1.0.0.tgz#./a.patch::version=1.0.0"\n',
      found: ["a 1.0.0", "a@1.0.0: local", "b.example: registry"],
    },
  ],
  [
    "the addresses in the metadata of a pdm.lock",
    {
      format: "pdm.lock",
      text: `${python("A_b", 'extras = ["x"]')}[metadata]\nlock_version = "4.0"\n[metadata.files]\n"a-b 1.0" = [{url = "https://b.example/a_b-1.0.tar.gz", hash = "sha256:0"}]\n`,
      found: ["A_b 1.0", "b.example: registry"],
    },
  ],
  [
    "what two projects need of one name of a packages.lock.json",
    {
      format: "packages.lock.json",
      text: JSON.stringify({
        version: 1,
        dependencies: {
          "net8.0": {
            a: { type: "Project", dependencies: { c: "[1.0.0, )" } },
            b: { type: "Project", dependencies: { C: "[2.0.0, )" } },
          },
        },
      }),
      found: ["C 2.0.0", "c 1.0.0"],
    },
  ],
])("a lock file gives %s", (_what, lock) => {
  expect(found(lock)).toEqual(lock.found);
});

it.each([
  ["bun.lock", '{\n  "lockfileVersion": 1,\n  "packages": {},\n  "packages": {}\n}\n', 4],
  ["pnpm-lock.yaml", "lockfileVersion: '9.0'\npackages:\n  a@1.0.0: {}\n  'a@1.0.0': {}\n", 4],
])("a %s with a key twice is refused", (format, text, line) => {
  expect(() => describeFile(format, text)).toThrow(
    expect.objectContaining({ message: "invalid_yaml: a key is there twice", line }),
  );
});

it("a package of two categories of a Pipfile.lock is direct in both", () => {
  const text = JSON.stringify({
    default: { a: { version: "==1.0" } },
    production: { a: { version: "==2.0" } },
  });
  const { packages } = describeFile("Pipfile.lock", text, { Pipfile: '[packages]\na = "*"\n' });
  expect(packages).toEqual(["1: a 1.0 direct production", "1: a 2.0 direct production"]);
});
