import { compare as comparePep440 } from "@renovatebot/pep440";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { versionOrderByEcosystem } from "../../../src/depshealth/ecosystem/version-order.ts";
import { ecosystems, type Ecosystem } from "../../../src/depshealth/facts.ts";
import { expectLinear } from "../../support/growth.ts";

/** Lowest first. */
const ascending: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: ["junk", "0.9.0", "1.0.0-alpha", "1.0.0-beta.2", "1.0.0-beta.10", "1.0.0", "10.0.0"],
  pypi: ["junk", "0.9", "1.0.dev1", "1.0a1", "1.0rc1", "1.0", "1.0.post1", "1.10", "1!0.1"],
  cargo: ["0.9.0", "1.0.0-rc.1", "1.0.0", "1.0.1"],
  rubygems: ["1.0.0.a", "1.0.0.beta2", "1.0.0.rc1", "1.0.0", "1.0.0.1", "1.0.10", "1.1.pre", "1.1"],
  go: [
    "v0.0.0-20180101000000-abcdefabcdef",
    "v1.0.0-rc.1",
    "v1.0.0",
    "v1.10.0",
    "v2.0.0+incompatible",
  ],
  maven: [
    "1.0-SNAPSHOT",
    "1.0-alpha-1",
    "1.0-beta-3",
    "1.0-M2",
    "1.0-RC1",
    "1.0",
    "1.0.1",
    "1.10",
    "31.1-jre",
  ],
  nuget: ["1.0.0-alpha", "1.0.0-preview.2", "1.0.0", "1.0.0.1", "1.0.1"],
  packagist: ["1.0.0-alpha1", "1.0.0-beta2", "1.0.0-RC1", "v1.0.0", "1.0.0-p1", "v1.0.1", "1.10.0"],
};

const unstable: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: ["1.0.0-0", "0.0.1-security-x", "junk"],
  pypi: ["1.0rc1", "1.0.dev3", "2.0b1", "junk"],
  cargo: ["1.0.0-rc.1"],
  rubygems: ["1.0.0.pre", "2.0.0.rc1"],
  go: ["v1.0.0-rc.1", "v0.0.0-20180101000000-abcdefabcdef"],
  maven: [
    "1.0-SNAPSHOT",
    "2.0-M1",
    "3.0-rc2",
    "1.0-alpha",
    "1-eap-256",
    "2.0.0-nightly.3",
    "1-canary01",
    "2.10.0.pr1",
  ],
  nuget: ["1.0.0-beta", "2.0.0-preview.1"],
  packagist: ["dev-main", "1.0.x-dev", "1.0.0-RC1"],
};

const stable: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: ["1.0.0", "0.1.0", "1.0.0+build"],
  pypi: ["1.0", "1.0.post1", "2004.1"],
  cargo: ["0.1.0", "1.0.0+wasm"],
  rubygems: ["1.0", "4.2.11.1"],
  go: ["v1.0.0", "v2.0.0+incompatible"],
  maven: ["1.0", "1.0.Final", "2.0.0.RELEASE", "31.1-jre", "1.0-GA"],
  nuget: ["1.0.0", "4.0.0.1", "1.0.0+abc"],
  packagist: ["v1.0.0", "1.0.0-p1"],
};

const same: readonly (readonly [Ecosystem, string, string])[] = [
  ["npm", "v1.2.3", "1.2.3"],
  ["pypi", "1.0", "1.0.0"],
  ["pypi", "1.0RC1", "1.0-rc.1"],
  ["pypi", "v306", "306.0"],
  ["rubygems", "1.0", "1.0.0"],
  ["go", "1.2.3", "v1.2.3"],
  ["go", "v2.0.0", "v2.0.0+incompatible"],
  ["nuget", "306", "306.0.0"],
  ["nuget", "1.0.0+abc", "1.0.0.0"],
  ["packagist", "v2.0.0", "2.0"],
];

describe.each(ecosystems)("the order of %s", (ecosystem) => {
  const { compare, isStable, key } = versionOrderByEcosystem[ecosystem];

  it("sorts as the ecosystem does", () => {
    const sorted = ascending[ecosystem];
    expect(sorted.toReversed().toSorted(compare)).toEqual(sorted);
  });

  it("tells releases from pre-releases", () => {
    expect(unstable[ecosystem].filter(isStable)).toEqual([]);
    expect(stable[ecosystem].filter(isStable)).toEqual(stable[ecosystem]);
  });

  it("is an order of whatever is written, and finds every version again", () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom(...ascending[ecosystem], ...unstable[ecosystem]),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(texts, (versions) => {
        const sorted = versions.toSorted(compare);
        for (let index = 1; index < sorted.length; index++) {
          expect(compare(sorted[0] ?? "", sorted[index] ?? "")).toBeLessThanOrEqual(0);
        }
        for (const version of versions) expect(key(version)).toBe(key(version));
      }),
    );
  });
});

it.each(same)("%s: %s is %s", (ecosystem, left, right) => {
  const { key } = versionOrderByEcosystem[ecosystem];
  expect(key(left)).toBe(key(right));
});

it.each(ecosystems)("%s: different versions have different keys", (ecosystem) => {
  const { key } = versionOrderByEcosystem[ecosystem];
  const keys = ascending[ecosystem].map(key);
  expect(new Set(keys).size).toBe(keys.length);
});

it.each<[Ecosystem, string, string]>([
  ["packagist", "^5.4", "5.4.0"],
  ["packagist", "~5.4", "5.4.0"],
  ["packagist", "5.4.*", "5.4.0"],
  ["packagist", ">=6.0", "6.0.0"],
  ["nuget", "1.0.*", "1.0.0"],
  ["nuget", "[1.0,)", "1.0.0"],
  ["maven", "[1.0]", "1.0"],
  ["rubygems", "~> 1.0", "1.0"],
  ["maven", "2.0-1", "2.0.1"],
  ["nuget", "1.0.0-1", "1.0.0.1"],
])("%s: %s is not the version %s", (ecosystem, left, right) => {
  const { key } = versionOrderByEcosystem[ecosystem];
  expect(key(left)).not.toBe(key(right));
});

it("orders Python's versions as the library does", () => {
  const part = fc.integer({ min: 0, max: 3 });
  const version = fc
    .record({
      epoch: fc.constantFrom("", "1!"),
      release: fc.array(part, { minLength: 1, maxLength: 4 }),
      pre: fc.constantFrom("", "a1", "b2", "rc1", "rc10", ".alpha.2", "-c3"),
      post: fc.constantFrom("", ".post1", "-2", "rev3"),
      dev: fc.constantFrom("", ".dev1", "dev2"),
    })
    .map(({ epoch, release, pre, post, dev }) => `${epoch}${release.join(".")}${pre}${post}${dev}`);
  fc.assert(
    fc.property(version, version, (left, right) => {
      expect(Math.sign(versionOrderByEcosystem.pypi.compare(left, right))).toBe(
        Math.sign(comparePep440(left, right)),
      );
    }),
    { numRuns: 1000 },
  );
});

it.each(ecosystems)("sorts thousands of versions of %s in a moment", (ecosystem) => {
  expectLinear(1000, (size) => {
    const versions = Array.from(
      { length: size },
      (_, index) => `${index % 20}.${index % 50}.${index}rc1`,
    );
    return () => {
      const sorted = versionOrderByEcosystem[ecosystem].newestFirst(versions, (version) => version);
      expect(sorted[0]).toBe(`19.49.${size - 1}rc1`);
    };
  });
});
