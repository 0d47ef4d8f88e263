import { afterAll, beforeAll } from "vitest";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";

/** Fake sources and facts gathered from them, for the tests of one file. */
export interface SourcesFixture {
  readonly fake: FakeSources;
  readonly facts: FactsUnderTest;
}

/** Registers them with the file; read the answer's members inside tests only. */
export function useFakeSources(): SourcesFixture {
  let fake: FakeSources | undefined;
  let facts: FactsUnderTest | undefined;
  beforeAll(async () => {
    fake = await startFakeSources();
    facts = openFacts(fake, { off: ["ecosystems", "depsdev", "osv"] });
  });
  afterAll(async () => {
    await facts?.close();
    await fake?.close();
  });
  return {
    get fake() {
      return given(fake);
    },
    get facts() {
      return given(facts);
    },
  };
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("Only there while a test runs.");
  return value;
}

/** Names that try to be something else in a path. */
export const hostileNames = [
  "..",
  ".",
  "../../etc/passwd",
  "a/../../b",
  "%2e%2e/%2e%2e",
  "..%2f..%2fadmin",
  "a\r\nX-Injected: 1",
  "a\u0000b",
  "a b",
  "a?x=1",
  "a#b",
  "a\\b",
  "//evil.example/a",
  "http://evil.example/a",
  "@scope/../../a",
  "@/a",
  "ä",
  "",
] as const;
