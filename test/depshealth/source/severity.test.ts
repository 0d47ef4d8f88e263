import { expect, it } from "vitest";
import {
  toAdvisorySeverity,
  findWorstAdvisorySeverity,
} from "../../../src/depshealth/source/severity.ts";

/** Base scores of the calculators of FIRST, in the order of the rows: 9.8, 6.1, 10.0 … */
it.each([
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "critical"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", "moderate"],
  ["CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", "critical"],
  ["CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:N/I:N/A:H", "moderate"],
  ["CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", "low"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", "high"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", "low"],
  ["CVSS:3.1/AV:X", "unknown"],
  ["CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N", "critical"],
  ["CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U", "critical"],
  ["CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N", "high"],
  ["CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N", "moderate"],
  ["CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N", "low"],
  ["CVSS:4.0/AV:N/AC:L/AT:N", "unknown"],
  ["CVSS:4.0/AV:N/__proto__:N/:/", "unknown"],
  ["AV:N/AC:L/Au:N/C:P/I:P/A:P", "high"],
  ["AV:N/AC:M/Au:N/C:N/I:P/A:N", "moderate"],
  ["9.1", "critical"],
])("reckons %s as %s", (vector, severity) => {
  expect(toAdvisorySeverity({ severityWord: null, vectors: [vector] })).toBe(severity);
});

it("takes the database's word first", () => {
  const vectors = ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"];
  expect(toAdvisorySeverity({ severityWord: "MODERATE", vectors })).toBe("moderate");
  expect(toAdvisorySeverity({ severityWord: "odd", vectors })).toBe("critical");
});

it("finds the worst", () => {
  expect(findWorstAdvisorySeverity(["low", "unknown", "high"])).toBe("high");
  expect(findWorstAdvisorySeverity([])).toBe("unknown");
});
