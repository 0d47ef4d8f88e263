import { describe, expect, it } from "vitest";
import { parseCallTagsHeader } from "../../../src/gateway/admission/read-tags.ts";
import { mergeCallTagsPreferringKey } from "../../../src/domain/call-tags.ts";
import type { ApiError } from "../../../src/platform/errors.ts";

const many = (count: number) =>
  Array.from({ length: count }, (_none, index) => `t${index}=x`).join(", ");

describe("x-svc-tags", () => {
  it.each([
    ["project=alpha, env=prod", { project: "alpha", env: "prod" }],
    ["a.b-c_1=x=y:z", { "a.b-c_1": "x=y:z" }],
    [" project=alpha", { project: "alpha" }],
    ["project=two words ,\tenv=p", { project: "two words", env: "p" }],
    ["constructor=1", { constructor: "1" }],
    [`n=${"v".repeat(100)}`, { n: "v".repeat(100) }],
    [`${"n".repeat(40)}=v`, { ["n".repeat(40)]: "v" }],
  ])("[tags.header] is read: %s", (sent, tags) => {
    expect(parseCallTagsHeader(sent)).toEqual(tags);
  });

  it("[tags.header] may hold ten, of any name", () => {
    expect(Object.keys(parseCallTagsHeader(many(10)) ?? {})).toHaveLength(10);
    expect(Object.entries(parseCallTagsHeader("__proto__=1") ?? {})).toEqual([["__proto__", "1"]]);
    expect(parseCallTagsHeader(undefined)).toBeUndefined();
  });

  it.each([
    "",
    "project",
    "project=",
    "=alpha",
    "Project=alpha",
    "project =alpha",
    "project=alpha,",
    "project=alpha,,env=prod",
    "project=alpha, project=beta",
    "project=\u00e4",
    `n=${"v".repeat(101)}`,
    `${"n".repeat(41)}=v`,
    many(11),
  ])("[tags.header] is refused with its name as param: %s", (sent) => {
    const refusal = { code: "invalid_request", status: 400, param: "x-svc-tags" };
    expect(() => parseCallTagsHeader(sent)).toThrow(expect.objectContaining(refusal) as ApiError);
  });
});

describe("the tags of a call", () => {
  it("[tags.key-wins] are those that were sent and those of the key, which win and do not count", () => {
    const ofKey = { project: "own", team: "t" };
    const sent = parseCallTagsHeader(`project=alpha, ${many(9)}`);
    expect(mergeCallTagsPreferringKey(sent, ofKey)).toEqual({
      ...parseCallTagsHeader(many(9)),
      project: "own",
      team: "t",
    });
    expect(mergeCallTagsPreferringKey(undefined, ofKey)).toEqual(ofKey);
    expect(mergeCallTagsPreferringKey(sent, undefined)).toEqual(sent);
    expect(mergeCallTagsPreferringKey(undefined, undefined)).toBeUndefined();
    const hostile = Object.fromEntries([["__proto__", "1"]]);
    expect(Object.entries(mergeCallTagsPreferringKey(hostile, ofKey) ?? {})).toContainEqual([
      "__proto__",
      "1",
    ]);
  });
});
