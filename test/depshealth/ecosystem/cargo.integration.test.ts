import { describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { serveCargo } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const crate = {
  name: "some_crate",
  versions: [
    { version: "1.1.0", at: "2026-02-01T00:00:00Z", yanked: "unsound" },
    { version: "1.0.0", at: "2026-01-01T00:00:00.123456+00:00" },
    { version: "0.9.0-alpha", at: "2025-01-01T00:00:00Z" },
  ],
  repository: "https://github.com/a/some_crate",
  maintainers: 3,
  dependents: 42,
};

describe("the registry of crates", () => {
  it("tells versions, yanks with their reason, dates, owners and dependents", async () => {
    serveCargo(sources.fake, crate);
    const known = await sources.facts.one({ ecosystem: "cargo", name: "some_crate" });
    expect(known).toMatchObject({
      name: "some_crate",
      purl: "pkg:cargo/some_crate",
      existence: "found",
      version: "1.0.0",
      latestVersion: "1.0.0",
      latestReleasedAt: Date.UTC(2026, 0, 1, 0, 0, 0, 123),
      latestYanked: true,
      maintainersCount: 3,
      dependentsCount: 42,
      repository: { owner: "a", name: "some_crate" },
    });
    expect(known.versions[0]?.withdrawal).toEqual({ kind: "yanked", reason: "unsound" });
    expect(known.evidence.map(({ kind, ok }) => [kind, ok])).toEqual([
      ["metadata", true],
      ["maintainers", true],
      ["dependents", true],
      ["repository", true],
    ]);
  });

  it("asks for owners and dependents only where all is wanted", async () => {
    serveCargo(sources.fake, { ...crate, name: "quick" });
    await sources.facts.one({ ecosystem: "cargo", name: "quick" }, "verdict");
    expect(sources.fake.count("/cargo/api/v1/crates/quick/")).toBe(0);
  });

  it.each([
    ["a", "1/a"],
    ["ab", "2/ab"],
    ["abc", "3/a/abc"],
    ["AbcD", "ab/cd/abcd"],
  ])("finds %s in the index at %s", async (name, path) => {
    await sources.facts.one({ ecosystem: "cargo", name });
    expect(sources.fake.count(`/cargo/index/${path}`)).toBe(1);
  });

  it("finds a crate whose name is written with the other dash", async () => {
    serveCargo(sources.fake, { ...crate, name: "two_words" });
    sources.fake.serve("/cargo/api/v1/crates/two-words", {
      json: { crate: { name: "two_words", repository: null }, versions: [] },
    });
    const known = await sources.facts.one({ ecosystem: "cargo", name: "two-words" });
    expect(known).toMatchObject({ name: "two_words", existence: "found", latestVersion: "1.0.0" });
  });

  it("goes on without the interface, without dates", async () => {
    serveCargo(sources.fake, { ...crate, name: "busy" });
    const repair = sources.fake.fail("/cargo/api/v1/crates/busy", status(403));
    const known = await sources.facts.one({ ecosystem: "cargo", name: "busy" });
    repair();
    expect(known).toMatchObject({
      existence: "found",
      latestVersion: "1.0.0",
      latestReleasedAt: null,
      maintainersCount: null,
      dependentsCount: null,
    });
    expect(known.evidence.find(({ ok }) => !ok)).toMatchObject({
      source: "cargo",
      error: "The source answered with status 403.",
    });
  });

  it("names the product in every request", async () => {
    await sources.facts.one({ ecosystem: "cargo", name: "agent" });
    const { headers } = sources.fake.requests.at(-1) ?? {};
    expect(headers?.["user-agent"]).toBe("causeway-test/1.0 (+mailto:owner@example.org)");
  });

  it("does not know a crate that both do not have", async () => {
    const known = await sources.facts.one({ ecosystem: "cargo", name: "nothing" });
    expect(known).toMatchObject({ existence: "not_found", versions: [], dependentsCount: null });
  });

  it.each([...hostileNames, "1abc", "a".repeat(65)])(
    "asks for no path of the name %j",
    async (name) => {
      const before = sources.fake.requests.length;
      expect((await sources.facts.one({ ecosystem: "cargo", name })).existence).toBe("not_found");
      expect(sources.fake.requests.length).toBe(before);
    },
  );
});
