import { describe, expect, it } from "vitest";
import type { PackageInfo } from "../../../src/depshealth/facts.ts";
import { classifyCallerTaskGoal } from "../../../src/depshealth/summary/goal.ts";
import { buildPackageSummarySentence } from "../../../src/depshealth/summary/sentence.ts";
import { aged, evidence, judged, known, now, version } from "../verdict/known-package.ts";

describe("the goal of a task context", () => {
  it.each([
    ["Choosing an HTTP client for a new service", "choosing"],
    ["Which date library should we use?", "choosing"],
    ["Evaluate whether to adopt this parser", "choosing"],
    ["Upgrading our old web app to Node 24", "upgrading"],
    ["migrate off request", "upgrading"],
    ["Auditing dependencies so that we can upgrade the riskiest", "upgrading"],
    ["Auditing a repository for compliance", "auditing"],
    ["Weekly supply chain review", "auditing"],
    ["hello", "general"],
    ["Kaffee kochen", "general"],
  ])("in the words `%s` is %s", (text, goal) => {
    expect(classifyCallerTaskGoal(text)).toBe(goal);
  });
});

const goals = ["choosing", "upgrading", "auditing", "general"] as const;
const marked = { deprecation: { message: null } };
const malware = {
  id: "MAL-1",
  aliases: [],
  severity: "critical",
  summary: null,
  fixedIn: [],
  url: "https://a.example",
  malicious: true,
} as const;
const flaw = { ...malware, id: "GHSA-1", severity: "high", malicious: false } as const;
const cases: Readonly<Record<string, Partial<PackageInfo>>> = {
  deprecated: { status: { kind: "deprecated", message: null } },
  "deprecated version": {
    versions: [version("2.0.0"), version("1.0.0", marked)],
    version: "1.0.0",
  },
  archived: { status: { kind: "archived", message: null } },
  stale: aged(3000, 3000),
  finished: { ...aged(3000, 3000), dependentsCount: 5000 },
  active: {},
  unknown: { existence: "not_found", version: null },
  "of unknown flaws": { advisories: null },
  malicious: { advisories: [malware] },
  old: { version: "1.0.0" },
  "old and flawed": {
    version: "1.0.0",
    latestVersion: "3.0.0",
    versions: ["3.0.0", "2.0.0", "1.2.1", "1.2.0", "1.0.0"].map((text) => version(text)),
    advisories: [
      { ...flaw, fixedIn: ["1.2.0", "2.0.1"] },
      { ...flaw, severity: "critical", fixedIn: ["1.2.1"] },
    ],
  },
  yanked: {
    version: "1.0.0",
    versions: [
      version("2.0.0"),
      version("1.0.0", { withdrawal: { kind: "yanked", reason: null } }),
    ],
  },
  "flawed beyond mending": { advisories: [flaw] },
  "version not found": { version: "9.9.9", versionFound: false, advisories: null },
};

describe("the summary", () => {
  it.each(Object.keys(cases))("of a package that is %s is one sentence for every goal", (name) => {
    const sentences = goals.map((goal) => sentenceOf(name, goal));
    for (const sentence of sentences) expect(sentence).toMatch(/^left\b(?!.*\. )[^\n]+\.$/);
    expect(new Set(sentences).size).toBeGreaterThan(1);
  });

  it("speaks to the goal", () => {
    expect(sentenceOf("deprecated version", "upgrading")).toBe(
      "left 1.0.0 is deprecated: its publisher says not to use this version; this version is 800 days old; upgrade to 2.0.0.",
    );
    expect(sentenceOf("deprecated version", "choosing")).toMatch(/; upgrade to 2\.0\.0\.$/);
    expect(sentenceOf("deprecated version", "auditing")).toMatch(
      /; report it, and upgrade to 2\.0\.0\.$/,
    );
    expect(sentenceOf("active", "choosing")).toBe(
      "left 2.0.0 is active: it was released not long ago; nothing found speaks against choosing it.",
    );
    expect(sentenceOf("finished", "auditing")).toBe(
      "left 2.0.0 is stale: neither a release nor a push for long; a note, hardly a finding.",
    );
    expect(sentenceOf("stale", "auditing")).toBe(
      "left 2.0.0 is stale: neither a release nor a push for long; note its age, which is no flaw by itself.",
    );
    expect(sentenceOf("unknown", "general")).toBe(
      "left is of unknown health: its registry does not know the name.",
    );
  });

  it("never sounds as if there were no advisories where none could be asked for", () => {
    const start =
      "left 2.0.0 is active: it was released not long ago; its advisories could not be asked for";
    expect(sentenceOf("of unknown flaws", "choosing")).toBe(
      `${start}; look for them elsewhere before you choose it.`,
    );
    expect(sentenceOf("of unknown flaws", "auditing")).toBe(`${start}; report them as not known.`);
  });

  it("leads with malice, whatever the verdict is", () => {
    expect(sentenceOf("malicious", "choosing")).toBe(
      "left 2.0.0 is malicious: MAL-1 says that it was made to harm; do not install it.",
    );
    expect(sentenceOf("malicious", "upgrading")).toMatch(/; remove it wherever it is installed\.$/);
    expect(sentenceOf("malicious", "auditing")).toMatch(/; report it as an incident\.$/);
  });

  it("names no failed source where nobody was asked", () => {
    expect(sentenceOf("version not found", "general")).toBe(
      "left 9.9.9 is of unknown health: its registry does not have that version.",
    );
  });

  it("[sentence.of-the-version] is about the version that was assessed, its flaws and the lowest version without them", () => {
    expect(sentenceOf("old and flawed", "upgrading")).toBe(
      "left 1.0.0 is active: its latest version, 3.0.0, was released not long ago; this version is 800 days old; 2 advisories hit this version, the worst critical, all fixed in 1.2.1; upgrade to 1.2.1.",
    );
    expect(sentenceOf("old and flawed", "choosing")).toMatch(/; upgrade to 1\.2\.1\.$/);
    expect(sentenceOf("old and flawed", "auditing")).toMatch(
      /; report the advisories, and upgrade to 1\.2\.1\.$/,
    );
    expect(sentenceOf("old", "general")).toMatch(/800 days old; upgrade to 2\.0\.0\.$/);
    expect(sentenceOf("yanked", "general")).toContain(
      "; this version is 800 days old and was yanked;",
    );
    const [flaw] = cases["flawed beyond mending"]?.advisories ?? [];
    expect(flaw?.fixedIn).toEqual([]);
    expect(sentenceOf("flawed beyond mending", "general")).toBe(
      "left 2.0.0 is active: it was released not long ago; 1 advisory hits this version, of severity high.",
    );
  });

  it("[sentence.who-was-missing] names who did not answer", () => {
    const failed = [evidence("npm", "metadata"), evidence("osv", "advisories", false)];
    const of = (changes: Partial<PackageInfo>) =>
      buildPackageSummarySentence(
        { info: known(changes), verdict: judged(changes), now },
        "general",
      );
    expect(of({ advisories: null, evidence: failed })).toContain(
      "; the advisory source did not answer",
    );
    expect(of({ evidence: [evidence("npm", "metadata", false)] })).toBe(
      "left 2.0.0 is of unknown health: its registry did not answer.",
    );
    expect(of(aged(1000, null))).toBe(
      "left 2.0.0 is of unknown health: nobody says when it was last released or worked on.",
    );
  });

  it("names what took its place", () => {
    const changes = { replacements: [{ name: "right", source: "registry" }] } as const;
    const judgement = judged({ ...cases["deprecated"], ...changes });
    const it = { info: known(changes), verdict: judgement, now };
    expect(buildPackageSummarySentence(it, "choosing")).toContain("choose right for new work");
    expect(buildPackageSummarySentence(it, "upgrading")).toContain("move to right");
    expect(buildPackageSummarySentence(it, "auditing")).toContain("right as the remedy");
  });
});

function sentenceOf(name: string, goal: (typeof goals)[number]): string {
  const changes = cases[name] ?? {};
  return buildPackageSummarySentence({ info: known(changes), verdict: judged(changes), now }, goal);
}
