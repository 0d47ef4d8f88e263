import { describe, expect, it } from "vitest";
import type { AuditedDependencyFile } from "../../../src/cli/audit/audit-file.ts";
import { matchRowsToQueries } from "../../../src/cli/audit/fetch-query-pages.ts";
import { buildAuditPackageQueries } from "../../../src/cli/audit/package-query.ts";

type Wanted = Readonly<{ ecosystem: string; name: string; requested?: string; version?: string }>;

function queriesOf(...wanted: readonly Wanted[]) {
  const dependencies = wanted.map(({ version, requested, ...rest }) => ({
    ...rest,
    version,
    requested: requested ?? version ?? null,
    ...(version === undefined && { constraint: "range" }),
    relation: "direct",
    groups: [],
    paths: [],
  }));
  const file = { path: "bom.json", dependencies, unparsed: [] };
  return buildAuditPackageQueries([file as unknown as AuditedDependencyFile]);
}

describe("buildAuditPackageQueries", () => {
  it.each<Wanted>([
    { ecosystem: "pypi", name: "a", requested: ">=1\nvictim==2.0" },
    { ecosystem: "pypi", name: "a", requested: ">=1\rvictim==2.0" },
    { ecosystem: "pypi", name: "a", requested: ">=1\u2028victim==2.0" },
    { ecosystem: "pypi", name: "victim==2.0\na", requested: ">=1" },
    { ecosystem: "npm", name: "mal", requested: "npm:plain@>=1" },
    { ecosystem: "npm", name: "mal", requested: "plain/mal" },
    { ecosystem: "npm", name: "mal\n", version: "1.0.0" },
    { ecosystem: "npm", name: "mal", version: "1.0.0\n" },
  ])("does not ask about text that is more than a name and a range: %j", (wanted) => {
    const { questions, unparsed } = queriesOf(wanted);
    expect(questions).toEqual([]);
    expect(unparsed).toMatchObject([{ reason: expect.stringMatching(/^invalid_/) }]);
  });

  it("asks about ranges with spaces, tabs and several clauses", () => {
    const { questions } = queriesOf(
      { ecosystem: "pypi", name: "a", requested: ">=1,\t<2" },
      { ecosystem: "npm", name: "@s/a", requested: "^1 || >=2 <3" },
    );
    expect(questions).toHaveLength(2);
  });
});

describe("matchRowsToQueries", () => {
  const row = (name: string, requested: string) => ({ ecosystem: "pypi", name, requested });

  it("takes no row of a name that has more rows than questions", () => {
    const { questions } = queriesOf(
      { ecosystem: "pypi", name: "victim", version: "1.0" },
      { ecosystem: "pypi", name: "a", requested: ">=1" },
    );
    const rows = [row("victim", "1.0"), row("a", ">=1"), row("victim", "2.0")];
    expect(matchRowsToQueries(questions, rows).map((it) => it.row?.["name"])).toEqual([
      undefined,
      "a",
    ]);
    const taken = [row("victim", "1.0"), row("victim", "2.0")];
    expect(matchRowsToQueries(questions, taken)[0]?.row).toBeUndefined();
  });

  it("takes the row at the place of a name that its registry spells otherwise", () => {
    const { questions } = queriesOf({ ecosystem: "pypi", name: "alias", version: "1.0" });
    const spelled = row("canonical", "1.0");
    expect(matchRowsToQueries(questions, [spelled])[0]?.row).toBe(spelled);
  });
});
