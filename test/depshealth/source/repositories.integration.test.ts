import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts, type OpenFactsOptions } from "../../support/fake-sources/open-facts.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { serveEcosystems, serveGithub } from "../../support/fake-sources/sources.ts";
import type { FactsGatheringOptions, PackageInfo } from "../../../src/depshealth/facts.ts";

let fake: FakeSources;
beforeAll(async () => {
  fake = await startFakeSources();
  serveGithub(fake, {
    "a/live": { pushedAt: "2026-06-01T00:00:00Z" },
    "a/dead": { archived: true, pushedAt: "2020-01-01T00:00:00Z" },
    "a/before": { now: "b/after", pushedAt: "2026-01-01T00:00:00Z" },
  });
});
afterAll(() => fake.close());

/** A package with this repository, gathered with nothing remembered. */
async function withRepository(
  repository: unknown,
  options: OpenFactsOptions = {},
  detail: FactsGatheringOptions["detail"] = "all",
): Promise<PackageInfo> {
  serveNpm(fake, {
    name: "p",
    versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }],
    repository,
  });
  const facts = openFacts(fake, { off: ["osv", "depsdev", "ecosystems"], ...options });
  try {
    return await facts.one({ ecosystem: "npm", name: "p" }, detail);
  } finally {
    await facts.close();
  }
}

describe.each([undefined, "a-token"])("GitHub asked with the token %j", (githubToken) => {
  const options = { ...(githubToken !== undefined && { githubToken }) };

  it.each([
    ["github:a/live", { url: "https://github.com/a/live", archived: false }],
    ["https://github.com/a/dead", { url: "https://github.com/a/dead", archived: true }],
    ["a/before", { url: "https://github.com/b/after", owner: "b", name: "after" }],
    ["a/gone", { url: "https://github.com/a/gone", archived: null, lastPushAt: null }],
  ])("tells the state of %s", async (repository, expected) => {
    const known = await withRepository(repository, options);
    expect(known.repository).toMatchObject(expected);
    expect(known.evidence.at(-1)).toMatchObject({ source: "github", kind: "repository", ok: true });
  });

  it("[verdict.repository] tells the last push, of the default branch if it can", async () => {
    const known = await withRepository("a/live", options);
    expect(known.repository?.lastPushAt).toBe(Date.UTC(2026, 5, 1));
  });

  it("leaves the state open when it fails", async () => {
    const repair = fake.fail("/github/", status(502));
    const known = await withRepository("a/live", options);
    repair();
    expect(known.repository).toMatchObject({ archived: null, lastPushAt: null });
    expect(known.evidence.at(-1)).toMatchObject({ source: "github", ok: false });
  });
});

describe("a refusal in the answer", () => {
  it("is no repository that is missing", async () => {
    const repair = fake.fail("/github/graphql", (response) =>
      response.end(JSON.stringify({ data: { r0: null }, errors: [{ type: "RATE_LIMITED" }] })),
    );
    const known = await withRepository("a/live", { githubToken: "a-token" });
    repair();
    expect(known.evidence.at(-1)).toMatchObject({
      ok: false,
      error: "The source refused the question.",
    });
  });
});

describe("the token", () => {
  it("goes to GitHub alone", async () => {
    const before = fake.requests.length;
    await withRepository("a/live", { githubToken: "a-secret" });
    const told = fake.requests
      .slice(before)
      .filter(({ headers }) => headers.authorization !== undefined);
    expect(told.map(({ path }) => path)).toEqual(["/github/graphql"]);
  });
});

describe("a used-up quota", () => {
  it("is not asked against until it is given anew", async () => {
    const reset = Math.floor(Date.UTC(2026, 10, 20) / 1000) + 1800;
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
    serveNpm(fake, { name: "p", versions: [{ version: "1.0.0" }], repository: "a/live" });
    serveNpm(fake, { name: "q", versions: [{ version: "1.0.0" }], repository: "a/dead" });
    const facts = openFacts(fake, { off: ["osv", "depsdev", "ecosystems"] });
    const repair = fake.fail("/github/", status(403, headers));
    await facts.one({ ecosystem: "npm", name: "p" });
    repair();
    const before = fake.count("/github/");
    const known = await facts.one({ ecosystem: "npm", name: "q" });
    expect(known.evidence.at(-1)?.error).toBe("The source asked us to wait.");
    expect(fake.count("/github/")).toBe(before);
    facts.clock.set((reset + 1) * 1000);
    expect((await facts.one({ ecosystem: "npm", name: "q" })).repository?.archived).toBe(true);
    await facts.close();
  });
});

describe("the aggregator", () => {
  const entry = {
    dependent_packages_count: 1234,
    repo_metadata: { archived: true, pushed_at: "2021-01-01T00:00:00Z" },
  };

  it("spares the repository's host in an audit", async () => {
    serveEcosystems(fake, { "pkg:npm/p": entry });
    const before = fake.count("/github/");
    const known = await withRepository("a/live", { off: ["osv", "depsdev"] }, "verdict");
    expect(known.repository).toMatchObject({ archived: true, lastPushAt: Date.UTC(2021, 0, 1) });
    expect(known.dependentsCount).toBe(1234);
    expect(fake.count("/github/")).toBe(before);
    expect(known.evidence).toContainEqual(
      expect.objectContaining({ source: "ecosystems", kind: "repository", ok: true }),
    );
  });

  it("gives way to the host otherwise, and stands in when the host fails", async () => {
    serveEcosystems(fake, { "pkg:npm/p": entry });
    const known = await withRepository("a/live", { off: ["osv", "depsdev"] });
    expect(known.repository?.archived).toBe(false);
    const repair = fake.fail("/github/", status(500));
    const other = await withRepository("a/live", { off: ["osv", "depsdev"] });
    repair();
    expect(other.repository?.archived).toBe(true);
    expect(other.evidence).toContainEqual(expect.objectContaining({ source: "github", ok: false }));
  });
});

describe("other hosts", () => {
  it("GitLab, with groups in groups", async () => {
    fake.serve("/gitlab/api/v4/projects/g%2Fsub%2Fproject", {
      json: {
        path_with_namespace: "g/sub/project",
        archived: true,
        last_activity_at: "2026-03-01T00:00:00.000Z",
      },
    });
    const known = await withRepository("https://gitlab.com/g/sub/project/-/tree/main");
    expect(known.repository).toMatchObject({
      owner: "g/sub",
      name: "project",
      archived: true,
      lastPushAt: Date.UTC(2026, 2, 1),
    });
  });

  it("Codeberg", async () => {
    fake.serve("/forgejo/api/v1/repos/o/r", {
      json: { full_name: "o/r", archived: false, updated_at: "2026-04-01T00:00:00+02:00" },
    });
    const known = await withRepository("https://codeberg.org/o/r.git");
    expect(known.repository).toMatchObject({
      archived: false,
      lastPushAt: Date.UTC(2026, 2, 31, 22),
    });
  });

  it("one that nobody asks keeps its address", async () => {
    const before = fake.requests.length;
    const known = await withRepository("https://git.example.org/o/r.git");
    expect(known.repository).toMatchObject({ url: "https://git.example.org/o/r", archived: null });
    expect(fake.requests.slice(before).map(({ path }) => path)).toEqual(["/npm/p"]);
  });

  it.each(["https://github.com/a/%2e%2e", "javascript:alert(1)", "a/..", 7, {}])(
    "takes %j for no repository",
    async (repository) => {
      expect((await withRepository(repository)).repository).toBeNull();
    },
  );
});
