import { describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { serveMaven, serveSuccessor } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const versions = [
  { version: "1.10", at: "2026-01-01T00:00:00Z" },
  { version: "1.9" },
  { version: "2.0-M1" },
];

describe("Maven", () => {
  it("tells versions, the date of the latest and the repository", async () => {
    serveMaven(sources.fake, {
      name: "org.example.deep:some.artifact",
      versions,
      repository: "scm:git:https://github.com/a/b.git",
    });
    const known = await sources.facts.one({
      ecosystem: "maven",
      name: "org.example.deep:some.artifact",
    });
    expect(known).toMatchObject({
      purl: "pkg:maven/org.example.deep/some.artifact",
      existence: "found",
      latestVersion: "1.10",
      latestReleasedAt: Date.UTC(2026, 0, 1),
      latestYanked: false,
      repository: { url: "https://github.com/a/b" },
    });
    expect(known.versions.map(({ version, stable }) => [version, stable])).toEqual([
      ["2.0-M1", false],
      ["1.10", true],
      ["1.9", true],
    ]);
    expect(sources.fake.count("/maven/org/example/deep/some.artifact/maven-metadata.xml")).toBe(1);
  });

  it("takes no early snapshot, numbered by its date, for the latest release", async () => {
    const dated = [{ version: "20030203.000129" }, { version: "2.6" }, { version: "2.5" }];
    serveMaven(sources.fake, { name: "old.commons:lang", versions: dated });
    serveMaven(sources.fake, { name: "old.commons:dated", versions: dated.slice(0, 1) });
    const latest = async (name: string) =>
      (await sources.facts.one({ ecosystem: "maven", name })).latestVersion;
    expect(await latest("old.commons:lang")).toBe("2.6");
    expect(await latest("old.commons:dated")).toBe("20030203.000129");
  });

  it("reads a relocation, whose missing parts are as before", async () => {
    const pom =
      "<distributionManagement><relocation><groupId>com.new</groupId></relocation></distributionManagement>";
    serveSuccessor(sources.fake, "maven", "com.new:thing");
    serveMaven(sources.fake, { name: "old:thing", versions, extra: { pom } });
    const known = await sources.facts.one({ ecosystem: "maven", name: "old:thing" });
    expect(known.status).toEqual({ kind: "deprecated", message: null });
    expect(known.replacements).toMatchObject([{ name: "com.new:thing", source: "registry" }]);
  });

  it("finds the repository in a parent's description", async () => {
    const pom =
      "<parent><groupId>org.parent</groupId><artifactId>root</artifactId><version>7</version></parent>";
    serveMaven(sources.fake, { name: "org.child:leaf", versions, extra: { pom } });
    sources.fake.serve("/maven/org/parent/root/7/root-7.pom", {
      text: "<project><scm><url>https://github.com/p/root</url></scm></project>",
    });
    const known = await sources.facts.one({ ecosystem: "maven", name: "org.child:leaf" });
    expect(known.repository).toMatchObject({ owner: "p", name: "root" });
  });

  it.each(["../../evil", "a/b", "${version}"])(
    "asks for no path of the version %j",
    async (version) => {
      const name = `org.evil:${version.replaceAll(/\W/g, "")}`;
      serveMaven(sources.fake, { name, versions: [{ version }] });
      const before = sources.fake.requests.length;
      const known = await sources.facts.one({ ecosystem: "maven", name });
      expect(known).toMatchObject({ existence: "found", versions: [], latestVersion: null });
      expect(sources.fake.requests.length).toBe(before + 1);
    },
  );

  it("takes no fact from a list that breaks off, or from a refusal", async () => {
    sources.fake.serve("/maven/org/broken/a/maven-metadata.xml", {
      text: "<metadata><versioning><versions><version>1.0</version>",
    });
    const broken = await sources.facts.one({ ecosystem: "maven", name: "org.broken:a" });
    expect(broken).toMatchObject({ existence: "undetermined", evidence: [{ ok: false }] });
    const repair = sources.fake.fail("/maven/org/refused", status(403));
    const refused = await sources.facts.one({ ecosystem: "maven", name: "org.refused:a" });
    repair();
    expect(refused.existence).toBe("undetermined");
  });

  it("expands no entity", async () => {
    sources.fake.serve("/maven/org/entity/a/maven-metadata.xml", {
      text: '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><metadata><versioning><versions><version>&x;</version></versions></versioning></metadata>',
    });
    const known = await sources.facts.one({ ecosystem: "maven", name: "org.entity:a" });
    expect(JSON.stringify(known)).not.toContain("root:");
  });

  it.each([...hostileNames, "a:b:c", "a..b:c", "a:..", ":a", "a:", "no-colon"])(
    "asks for no path of the name %j",
    async (name) => {
      const before = sources.fake.requests.length;
      expect((await sources.facts.one({ ecosystem: "maven", name })).existence).toBe("not_found");
      expect(sources.fake.requests.length).toBe(before);
    },
  );
});
