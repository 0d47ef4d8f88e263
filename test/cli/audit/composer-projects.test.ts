import { describe, expect, it } from "vitest";
import { audit } from "./audit-project.ts";

describe("the audit of a composer.json", () => {
  const auditOf = (requested: string) =>
    audit({ "composer.json": `{"require": {"a/b": ${JSON.stringify(requested)}}}` });
  const branch = "composer.json:1: git";

  it.each([
    "dev-main",
    " DEV-main ",
    "dev-main#0a1b2c",
    "dev-feature/x as 1.2.3",
    "1.x-dev",
    "1.2.X-DEV as 1.2.0",
    "1.0.0-dev",
    "==dev-main",
    "dev-main@dev",
    "dev-main || 1.x-dev",
  ])("reports the branch %j", (requested) => {
    expect(auditOf(requested)).toEqual({ asked: [], unread: [branch] });
  });

  it.each([
    ["^1.0 || dev-main", "a/b ^1.0"],
    ["dev-main|^1.0|^2.0", "a/b ^1.0 || ^2.0"],
    ["dev-main || 1.2.3", "a/b 1.2.3"],
  ])("reports the branch and asks about the release of %j", (requested, asked) => {
    expect(auditOf(requested)).toEqual({ asked: [asked], unread: [branch] });
  });

  it("reports a name without a vendor, unless it is a part of PHP or Composer", () => {
    const parts = ["php", "php-64bit", "hhvm", "ext-zip", "lib-icu", "composer-plugin-api"];
    const platform = Object.fromEntries(parts.map((name) => [name, "*"]));
    expect(
      audit({ "composer.json": JSON.stringify({ require: { ...platform, noslash: "1.0" } }) }),
    ).toEqual({ asked: [], unread: ["composer.json:1: invalid_name"] });
  });

  it.each([">=1.0-dev", "^1.0@dev", "!=dev-main", "*"])("asks about the range %j", (requested) => {
    expect(auditOf(requested)).toEqual({ asked: [`a/b ${requested}`], unread: [] });
  });
});

describe("the audit of a composer.lock", () => {
  it("reports branches that are installed, and those that packages need and the file lacks", () => {
    const packages = [
      { name: "a/b", version: "1.x-DEV", require: { "c/d": "dev-main as 1.0", "e/f": "^1" } },
    ];
    const text = JSON.stringify({ packages });
    expect(audit({ "composer.lock": text })).toEqual({
      asked: ["e/f ^1"],
      unread: ["composer.lock:1: git", "composer.lock:1: git"],
    });
  });
});
