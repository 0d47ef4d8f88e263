import { describe, expect, it, vi } from "vitest";
import type { AlternativeRegistryPackage } from "../../../src/manifest/dependency-file.ts";
import { findSingleHostCargoRegistries } from "../../../src/cli/audit/locked-registries.ts";
import { DependencyAuditReadBudget } from "../../../src/cli/audit/read-budget.ts";
import { AuditedFolderReader } from "../../../src/cli/audit/project-files.ts";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { createAuditFolder } from "./audit-project.ts";

type Files = Readonly<Record<string, string>>;

function many(count: number, fileOf: (at: number) => readonly [string, string]): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => fileOf(at)));
}

/** Reads a folder with these limits; `packages` is the number of packages and `unread` has the paths with `too_many`. */
function read(files: Files, limits: ConstructorParameters<typeof DependencyAuditReadBudget>[0]) {
  const folder = createAuditFolder(files);
  const found = readAuditFiles([folder], "auto", new DependencyAuditReadBudget(limits));
  return {
    packages: found.reduce((sum, { dependencies }) => sum + dependencies.length, 0),
    unread: found
      .filter(({ unparsed }) => unparsed.some(({ reason }) => reason.includes("too_many:")))
      .map(({ path }) => path.slice(folder.length + 1)),
  };
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => `a${at}\n`).join("");

/** A parent whose dependencies have another version in each of its profiles. */
function parentPom(packages: number, profiles: number): string {
  const dependencies = Array.from(
    { length: packages },
    (_, at) =>
      `<dependency><groupId>g</groupId><artifactId>a${at}</artifactId><version>\${v}.\${w}</version></dependency>`,
  );
  const values = Array.from(
    { length: profiles },
    (_, at) => `<profile><properties><v>${at}</v></properties></profile>`,
  );
  return `<project><artifactId>p</artifactId><properties><v>x</v><w>0</w></properties><profiles>${values.join("")}</profiles><dependencies>${dependencies.join("")}</dependencies></project>`;
}

function childPom(at: number): string {
  return `<project><parent><artifactId>p</artifactId></parent><artifactId>c</artifactId><properties><w>${at}</w></properties></project>`;
}

describe("the rows of one audit", () => {
  it("are limited where many files include one, and each file that is left out is reported", () => {
    const files = many(5, (at) => [`requirements/r${at}.txt`, "-r ../big.txt\n"]);
    expect(read({ "big.txt": lines(40), ...files }, { rows: 100 })).toEqual({
      packages: 80,
      unread: ["requirements/r2.txt", "requirements/r3.txt", "requirements/r4.txt"],
    });
  });

  it("are limited where the project files of Python include one", () => {
    const toml = `[project]\nname="p"\ndynamic=["dependencies"]\n[tool.setuptools.dynamic]\ndependencies={file=["big.in"]}\n`;
    const cfg = "[options]\ninstall_requires = file: big.in\n";
    const files = { "a/big.in": lines(40), "a/pyproject.toml": toml, "a/setup.cfg": cfg };
    expect(read(files, { rows: 50 })).toEqual({ packages: 40, unread: ["a/setup.cfg"] });
  });

  it("are limited where an environment of conda includes one", () => {
    const yaml = "dependencies:\n  - pip:\n    - -r big.in\n";
    const files = { "big.in": lines(40), "environment.yml": yaml };
    expect(read(files, { rows: 30 })).toEqual({ packages: 0, unread: ["environment.yml"] });
  });

  it("are limited within one file", () => {
    const files = { "a/requirements.txt": lines(40), "b/requirements.txt": lines(40) };
    expect(read(files, { rows: 30 })).toEqual({
      packages: 30,
      unread: ["a/requirements.txt", "b/requirements.txt"],
    });
  });

  it("are limited where poms inherit from one with profiles", () => {
    const children = many(5, (at) => [`m${at}/pom.xml`, childPom(at + 1)]);
    const { packages, unread } = read({ "pom.xml": parentPom(10, 4), ...children }, { rows: 120 });
    expect(packages).toBe(120);
    expect(unread).toEqual(["m1/pom.xml", "m2/pom.xml", "m3/pom.xml", "m4/pom.xml"]);
  });

  it("are not looked for in the profiles of further parents when the audit has read enough of them", () => {
    const children = many(3, (at) => [`m${at}/pom.xml`, childPom(at + 1)]);
    const { unread } = read({ "pom.xml": parentPom(10, 4), ...children }, { repeats: 200 });
    expect(unread).toEqual(["m1/pom.xml", "m2/pom.xml"]);
  });

  it("are the same for a child that changes none of the values that it inherits", () => {
    const child = "<project><parent><artifactId>p</artifactId></parent></project>";
    const children = many(3, (at) => [`m${at}/pom.xml`, child]);
    const files = { "pom.xml": parentPom(10, 4), ...children };
    expect(read(files, {})).toEqual({ packages: 50, unread: [] });
  });
});

describe("findSingleHostCargoRegistries", () => {
  it("indexes the packages of a lock file once", () => {
    const registryPackages = vi.fn<() => AlternativeRegistryPackage[]>(() => [
      { name: "a", registry: "r.example", requested: "1.0.0" },
    ]);
    const lock = {
      dependencies: [],
      unparsed: [],
      get registryPackages() {
        return registryPackages();
      },
    };
    for (let at = 0; at < 3; at += 1) {
      findSingleHostCargoRegistries({ dependencies: [], unparsed: [] }, lock);
    }
    expect(registryPackages).toHaveBeenCalledTimes(1);
  });
});

describe("a manifest below many lock files", () => {
  it("is read once", () => {
    const reads = vi.spyOn(AuditedFolderReader.prototype, "read");
    const lock = '[[package]]\nname = "other"\nversion = "1.0.0"\n';
    const files = {
      ...many(5, (at) => [`${"d/".repeat(at)}Cargo.lock`, lock]),
      "d/d/d/d/d/Cargo.toml": '[package]\nname = "app"\n',
    };
    readAuditFiles([createAuditFolder(files)], "auto");
    const paths = reads.mock.calls.map(([path]) => path);
    reads.mockRestore();
    expect(paths.filter((path) => path === "d/d/d/d/d/Cargo.toml")).toHaveLength(1);
  });
});
