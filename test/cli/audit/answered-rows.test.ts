import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { matchAuditRowsToQueries } from "../../../src/cli/audit/fetch-query-pages.ts";
import { buildAuditPackageQueries } from "../../../src/cli/audit/package-query.ts";
import { splitIntoQueryPages } from "../../../src/cli/audit/query-pages.ts";
import type { FileDependency } from "../../../src/manifest/dependency-file.ts";

type Dependency = Pick<FileDependency, "ecosystem" | "name" | "requested" | "version">;

function fileOf(dependencies: readonly Partial<FileDependency>[]) {
  const given = dependencies.map((each) => ({
    ecosystem: "npm" as const,
    name: "",
    requested: null,
    relation: "direct" as const,
    groups: [],
    paths: [],
    ...each,
  }));
  return { path: "a", kind: "a", dependencies: given, unparsed: [] };
}

function queriesOf(dependencies: readonly Partial<FileDependency>[]) {
  return buildAuditPackageQueries([fileOf(dependencies)]);
}

const pinned = (name: string, version: string): Dependency => ({
  ecosystem: "npm",
  name,
  requested: version,
  version,
});

const range = (ecosystem: "npm" | "pypi", name: string, requested: string) => ({
  ecosystem,
  name,
  requested,
  constraint: "range" as const,
});

const rowOf = (name: string, requested: string | null, ecosystem = "npm") => ({
  ecosystem,
  name,
  requested,
});

/** Returns the name and version of the row that each question got. */
function answersTo(
  dependencies: readonly Partial<FileDependency>[],
  rows: readonly JsonObject[],
): unknown[] {
  const pages = splitIntoQueryPages(queriesOf(dependencies).questions);
  const results = pages.flatMap(({ questions }) => matchAuditRowsToQueries(questions, rows));
  return results.map(({ row }) => row && [row["name"], row["requested"]]);
}

describe("matchAuditRowsToQueries", () => {
  it("returns the row at the place of each question, also in the spelling of the registry", () => {
    const asked = [pinned("a", "1.0.0"), { ecosystem: "pypi" as const, name: "Zope.Interface" }];
    const rows = [rowOf("a", "1.0.0"), rowOf("zope-interface", null, "pypi")];
    expect(answersTo(asked, rows)).toEqual([
      ["a", "1.0.0"],
      ["zope-interface", null],
    ]);
    const ranges = [range("npm", "a", "^1 || 2"), range("npm", "b", "")];
    expect(answersTo(ranges, [rowOf("a", "^1 || 2"), rowOf("b", null)])).toEqual([
      ["a", "^1 || 2"],
      ["b", null],
    ]);
  });

  it.each([
    ["another name", rowOf("b", "1.0.0")],
    ["another version", rowOf("a", "1.0.1")],
    ["no version", rowOf("a", null)],
    ["another ecosystem", rowOf("a", "1.0.0", "cargo")],
    ["an unknown ecosystem", rowOf("a", "1.0.0", "apt")],
  ])("returns no row for a question if the row at its place has %s", (_what, row) => {
    expect(answersTo([pinned("a", "1.0.0")], [row])).toEqual([undefined]);
  });

  it("returns no row for questions whose rows changed places", () => {
    const asked = [pinned("a", "1.0.0"), pinned("b", "1.0.0")];
    const rows = [rowOf("b", "1.0.0"), rowOf("a", "1.0.0")];
    expect(answersTo(asked, rows)).toEqual([undefined, undefined]);
  });

  it("returns no row if there are more or fewer rows than questions", () => {
    const asked = [pinned("a", "1.0.0"), pinned("b", "1.0.0")];
    const rows = [rowOf("a", "1.0.0"), rowOf("b", "1.0.0"), rowOf("b", "2.0.0")];
    expect(answersTo(asked, rows)).toEqual([undefined, undefined]);
    expect(answersTo(asked, rows.slice(0, 1))).toEqual([undefined, undefined]);
  });
});

describe("buildAuditPackageQueries", () => {
  it.each([
    ["pypi", "a", ">=1\nb==2"],
    ["pypi", "a", ">=1\vb==2"],
    ["pypi", "a", ">=1 # b"],
    ["pypi", "a", ">=1 --hash=sha256:0"],
    ["pypi", "a", " @ https://a.example/a-1.tar.gz"],
    ["pypi", "a", "[b]>=1"],
    ["pypi", "a", "b>=1"],
    ["pypi", "-r b", ">=1"],
    ["npm", "a", "npm:b@>=1"],
    ["npm", "a", "b/c"],
    ["npm", "a", "https://a.example/a.tgz"],
    ["npm", "a b", ">=1"],
  ] as const)(
    "refuses a range of %s that its manifest would not give back: %j %j",
    (ecosystem, name, text) => {
      const { questions, unparsed } = queriesOf([range(ecosystem, name, text)]);
      expect(questions).toEqual([]);
      expect(unparsed.map(({ reason }) => reason.split(":")[0])).toEqual(["invalid_specifier"]);
    },
  );

  it.each(["npm", "pypi", "cargo"] as const)(
    "refuses a line end in a version of %s",
    (ecosystem) => {
      const { questions, unparsed } = queriesOf([{ ...pinned("a", "1\n2"), ecosystem }]);
      expect(questions).toEqual([]);
      expect(unparsed.map(({ reason }) => reason.split(":")[0])).toEqual(["invalid_specifier"]);
    },
  );

  it("never asks about a package in the manifest of another ecosystem", () => {
    const { questions } = queriesOf([{ ...range("npm", "a", "~> 1.0"), ecosystem: "rubygems" }]);
    const [page] = splitIntoQueryPages(questions);
    expect(page?.request).not.toHaveProperty("manifest");
    expect(page?.request).toHaveProperty("packages", [expect.objectContaining({ name: "a" })]);
  });

  it("counts packages beyond its limit once for each file, and asks about no more", () => {
    const names = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => pinned(`p${from + at}`, "1.0.0"));
    const files = [names(0, 2), names(1, 5), names(2, 3), names(5, 8)].map((given, at) => ({
      ...fileOf(given),
      path: `f${at}`,
    }));
    const { questions, unparsed } = buildAuditPackageQueries(files, 3);
    expect(questions.map(({ name, locations }) => [name, locations.length])).toEqual([
      ["p0", 1],
      ["p1", 2],
      ["p2", 2],
    ]);
    const said = (packages: number) =>
      `too_many: ${packages} packages of it are not assessed, because one audit asks about 3`;
    expect(unparsed).toEqual([
      { file: "f1", text: "f1", shown: "f1", reason: said(2) },
      { file: "f3", text: "f3", shown: "f3", reason: said(3) },
    ]);
  });

  it("asks in at most 1000 calls, whatever the files name", () => {
    const many = Array.from({ length: 30_000 }, (_, at) => pinned("p", `1.0.${at}`));
    const { questions, unparsed } = queriesOf(many);
    expect(splitIntoQueryPages(questions)).toHaveLength(1000);
    expect(unparsed.map(({ reason }) => reason.split(" ", 2))).toEqual([["too_many:", "5000"]]);
  });

  it("asks about ranges with spaces around them", () => {
    const { unparsed } = queriesOf([range("pypi", "a", " >=1, <2 "), range("npm", "a", " ^1 ")]);
    expect(unparsed).toEqual([]);
  });
});
