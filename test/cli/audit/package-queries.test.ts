import { describe, expect, it } from "vitest";
import type { DependencyFileToAudit } from "../../../src/cli/audit/audit-file.ts";
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
  return buildAuditPackageQueries([file as unknown as DependencyFileToAudit]);
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
