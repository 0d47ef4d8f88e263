import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import * as faults from "../../support/fake-sources/faults.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import type { DataSourceEvidence } from "../../../src/depshealth/facts.ts";

let fake: FakeSources;
beforeAll(async () => {
  fake = await startFakeSources();
});
afterAll(() => fake.close());

async function withFacts(
  run: (facts: FactsUnderTest) => Promise<void>,
  timeoutMs?: number,
): Promise<void> {
  const facts = openFacts(fake, { off: ["osv", "depsdev", "ecosystems", "github"], timeoutMs });
  try {
    await run(facts);
  } finally {
    await facts.close();
  }
}

/** What the registry's failure says, after `times` packages were asked for. */
async function failureOf(
  facts: FactsUnderTest,
  name: string,
): Promise<DataSourceEvidence | undefined> {
  const known = await facts.one({ ecosystem: "npm", name });
  expect(known).toMatchObject({ existence: "undetermined", versions: [], advisories: null });
  return known.evidence[0];
}

describe("a source that fails", () => {
  it.each([
    ["403", faults.status(403), "answered with status 403"],
    ["500", faults.status(500), "answered with status 500"],
    ["a page", faults.htmlPage, "sent something that is not JSON"],
    ["half a document", faults.truncatedJson, "sent a document that breaks off"],
    ["half an answer", faults.brokenOff, "broke the connection off"],
    ["itself again", faults.redirectLoop, "redirected where it is not followed"],
    ["a bomb", faults.gzipBomb, "sent more than is read"],
    ["half a zip", faults.truncatedGzip, "sent a document that breaks off"],
  ])("is evidence and no fact: %s", async (name, fault, error) => {
    await withFacts(async (facts) => {
      const repair = fake.fail("/npm/", fault);
      expect(await failureOf(facts, name.replaceAll(" ", "-"))).toEqual({
        source: "npm",
        kind: "metadata",
        ok: false,
        observedAt: facts.clock.now(),
        error: `The source ${error}.`,
      });
      repair();
    });
  });

  it("stays open to all when one publisher's document cannot be read", async () => {
    await withFacts(async (facts) => {
      const deep = `${"[".repeat(8000)}${"]".repeat(8000)}`;
      const names = Array.from({ length: 6 }, (_, index) => `deep-${index}`);
      for (const name of names) {
        fake.serve(`/npm/${name}`, {
          text: `{"name":"${name}","versions":{"1.0.0":{"license":{"type":1}}},"repository":${deep}}`,
        });
        const known = await facts.one({ ecosystem: "npm", name });
        expect(known).toMatchObject({ existence: "found", repository: null });
      }
      serveNpm(fake, { name: "sound", versions: [{ version: "1.0.0" }] });
      expect(await facts.one({ ecosystem: "npm", name: "sound" })).toMatchObject({
        existence: "found",
      });
    });
  });

  it("knows nothing of a name at 404 in HTML, which is an answer", async () => {
    await withFacts(async (facts) => {
      const known = await facts.one({ ecosystem: "npm", name: "nothing" });
      expect(known).toMatchObject({ existence: "not_found", evidence: [{ ok: true }] });
    });
  });

  it("does not lead to another origin", async () => {
    await withFacts(async (facts) => {
      const elsewhere = fake.origin.replace("127.0.0.1", "localhost");
      const repair = fake.fail("/npm/", (response) =>
        response.writeHead(302, { location: `${elsewhere}/npm/other` }).end(),
      );
      const before = fake.requests.length;
      expect((await failureOf(facts, "moved"))?.error).toContain("redirected");
      repair();
      expect(fake.requests.length).toBe(before + 1);
    });
  });

  it("is asked once more when a kept connection had died", async () => {
    await withFacts(async (facts) => {
      serveNpm(fake, { name: "second-try", versions: [{ version: "1.0.0" }] });
      let failures = 0;
      const repair = fake.fail("/npm/", (response) => {
        failures += 1;
        repair();
        response.socket?.destroy();
      });
      expect((await facts.one({ ecosystem: "npm", name: "second-try" })).existence).toBe("found");
      expect(failures).toBe(1);
    });
  });
});

describe("a source that wants silence", () => {
  it("has it as long as it says", async () => {
    await withFacts(async (facts) => {
      const repair = fake.fail("/npm/", faults.tooMany(120));
      expect((await failureOf(facts, "loud"))?.error).toBe("The source answered with status 429.");
      repair();
      const before = fake.requests.length;
      facts.clock.set(facts.clock.now() + 114_000);
      expect((await failureOf(facts, "loud"))?.error).toBe("The source asked us to wait.");
      expect(fake.requests.length).toBe(before);
      facts.clock.set(facts.clock.now() + 6001);
      expect((await facts.one({ ecosystem: "npm", name: "loud" })).existence).toBe("not_found");
    });
  });

  it("has it until a date as well", async () => {
    await withFacts(async (facts) => {
      const date = new Date(facts.clock.now() + 60_000).toUTCString();
      const repair = fake.fail("/npm/", faults.status(503, { "retry-after": date }));
      await failureOf(facts, "dated");
      repair();
      expect((await failureOf(facts, "dated"))?.error).toBe("The source asked us to wait.");
      facts.clock.set(facts.clock.now() + 60_001);
      expect((await facts.one({ ecosystem: "npm", name: "dated" })).existence).toBe("not_found");
    });
  });

  it("has it a while when it does not say how long, and the caller waits for it", async () => {
    await withFacts(async (facts) => {
      const repair = fake.fail("/npm/", faults.tooMany());
      await failureOf(facts, "vague");
      repair();
      const began = performance.now();
      expect((await facts.one({ ecosystem: "npm", name: "vague" })).existence).toBe("not_found");
      expect(performance.now() - began).toBeGreaterThan(900);
    });
  });

  it("is one of several: the others are asked", async () => {
    await withFacts(async (facts) => {
      const repair = fake.fail("/npm/", faults.tooMany(600));
      await failureOf(facts, "alone");
      repair();
      const other = await facts.one({ ecosystem: "pypi", name: "other" });
      expect(other.existence).toBe("not_found");
    });
  });
});

describe("a source that keeps failing", () => {
  it("is left alone a while, then tried with one request", async () => {
    await withFacts(async (facts) => {
      const repair = fake.fail("/npm/", faults.status(500));
      for (let call = 0; call < 5; call++) await failureOf(facts, `down-${call}`);
      const before = fake.requests.length;
      expect((await failureOf(facts, "down-5"))?.error).toBe(
        "The source has failed too often lately.",
      );
      expect(fake.requests.length).toBe(before);
      facts.clock.set(facts.clock.now() + 2001);
      await failureOf(facts, "down-6");
      expect(fake.requests.length).toBe(before + 1);
      expect((await failureOf(facts, "down-7"))?.error).toContain("too often");
      repair();
      facts.clock.set(facts.clock.now() + 4001);
      expect((await facts.one({ ecosystem: "npm", name: "up" })).existence).toBe("not_found");
      expect((await facts.one({ ecosystem: "npm", name: "up-again" })).existence).toBe("not_found");
    });
  });

  it("is heard, not counted, when it says that there is nothing", async () => {
    await withFacts(async (facts) => {
      for (let call = 0; call < 8; call++) {
        const known = await facts.one({ ecosystem: "npm", name: `absent-${call}` });
        expect(known.existence).toBe("not_found");
      }
    });
  });
});

describe("a source that is slow", () => {
  it("is given up in time", async () => {
    await withFacts(async (facts) => {
      const repair = fake.fail("/rubygems/", faults.stalled);
      const known = await facts.one({ ecosystem: "rubygems", name: "slow" }, "verdict");
      repair();
      expect(known.evidence[0]).toMatchObject({
        ok: false,
        error: "The source did not answer in time.",
      });
    }, 300);
  });
});

it("[sources.refused] tells the operator once what would allow a source that may not be dialled, and callers no address", async () => {
  const lines: string[] = [];
  const facts = openFacts(fake, {
    off: ["osv", "depsdev", "ecosystems", "github"],
    unnamed: ["npm"],
    npmRegistries: [{ scope: undefined, base: "https://localhost:4873", token: undefined }],
    log: pino({}, { write: (line) => void lines.push(line) }),
  });
  onTestFinished(() => facts.close());
  for (const name of ["one", "two"]) {
    const [evidence] = (await facts.one({ ecosystem: "npm", name })).evidence;
    expect(evidence).toMatchObject({
      ok: false,
      error: "The source may not be dialled (the server's log says what would allow it).",
    });
  }
  const refused = lines.filter((line) => line.includes("a source of packages is not dialled"));
  expect(refused.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      source: "https://localhost:4873",
      refusal: expect.stringContaining("CAUSEWAY_UPSTREAM_ALLOW=localhost:4873"),
    }),
  ]);
});
