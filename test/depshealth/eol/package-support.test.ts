import { beforeAll, describe, expect, it } from "vitest";
import type { EolDataset } from "../../../src/depshealth/eol/dataset.ts";
import { findPackageEolSupport } from "../../../src/depshealth/eol/package-support.ts";
import type { PackageEolSupport } from "../../../src/depshealth/verdict/verdict.ts";
import { known, now, version } from "../verdict/known-package.ts";
import { readDataset } from "./read-sample.ts";

let dataset: EolDataset;

beforeAll(async () => {
  dataset = await readDataset();
});

function support(
  purl: string | null,
  versions: readonly string[],
  assessed = versions[0],
): PackageEolSupport | undefined {
  const facts = known({
    purl,
    versions: versions.map((text) => version(text, { stable: !text.includes("-") })),
    version: assessed ?? null,
  });
  return findPackageEolSupport(dataset, facts, now);
}

describe("what the dataset says of a package", () => {
  it("nothing of one that belongs to no product", () => {
    expect(support("pkg:npm/left", ["1.0.0"])).toBeUndefined();
    expect(support(null, ["1.0.0"])).toBeUndefined();
  });

  it("that all its versions have ended, where all their cycles have by their dates", () => {
    expect(support("pkg:npm/protractor", ["7.0.0", "5.0.1", "8.0.0-beta"])).toEqual({
      label: "Protractor",
      allEnded: true,
      endedCycle: { name: "7.0", endedOn: "2023-08-31" },
    });
  });

  it("of a version that belongs to no cycle only where the whole product has ended", () => {
    expect(support("pkg:npm/protractor", ["7.0.0", "5.4.4"])?.allEnded).toBe(true);
    expect(support("pkg:maven/log4j/log4j", ["1.2.17", "0.9"])?.allEnded).toBe(false);
  });

  it("goes by the package's own versions: one product has two packages", () => {
    expect(support("pkg:maven/log4j/log4j", ["1.2.17", "1.2.16"])?.allEnded).toBe(true);
    const core = "pkg:maven/org.apache.logging.log4j/log4j-core";
    expect(support(core, ["2.25.0", "2.3.2"])).toEqual({
      label: "Apache Log4j",
      allEnded: false,
      endedCycle: undefined,
    });
    expect(support(core, ["2.25.0", "2.3.2"], "2.3.2")?.endedCycle).toEqual({
      name: "2.3",
      endedOn: "2015-09-20",
    });
  });

  it("an end without a day decides nothing", () => {
    expect(support("pkg:golang/github.com/gorilla/mux", ["v1.8.1", "v1.0.0"])).toEqual({
      label: "Gorilla Toolkit",
      allEnded: false,
      endedCycle: { name: "1", endedOn: null },
    });
  });

  it("package URLs are compared whatever is escaped in them", () => {
    expect(support("pkg:npm/@angular/core", ["19.0.0"])).toMatchObject({ label: "Angular" });
    expect(support("pkg:npm/%40Angular/core?x=y", ["19.0.0"])).toMatchObject({ label: "Angular" });
  });

  it("says nothing of all versions when none is stable or none is known", () => {
    expect(support("pkg:npm/protractor", ["7.0.0-rc"])?.allEnded).toBe(false);
    expect(support("pkg:npm/protractor", [])).toMatchObject({
      allEnded: false,
      endedCycle: undefined,
    });
  });
});
