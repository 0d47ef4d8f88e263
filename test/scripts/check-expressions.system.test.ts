import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  expressionsInCode,
  expressionsInProto,
} from "../../scripts/expressions/find-expressions.ts";
import { judgeExpressions } from "../../scripts/expressions/judge-expressions.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "causeway-expressions-"));
  for (const name of ["src", "bin", "proto"]) await mkdir(join(folder, name));
});

afterEach(() => rm(folder, { recursive: true }));

async function check(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return new Promise<{ readonly code: unknown; readonly told: string }>((resolve) => {
    const parameters = ["scripts/check-expressions.ts", folder];
    execFile(process.execPath, parameters, (error, _stdout, told) => {
      resolve({ code: error === null ? 0 : error.code, told });
    });
  });
}

describe("check-expressions", () => {
  it("passes where every expression is linear", async () => {
    const result = await check({
      "src/a.ts": String.raw`export const a = /^\d+(?:\.\d{1,200})?$/; a.test("x".replace("(a+)+", ""));`,
      "proto/a.proto": String.raw`string a = 1 [(x).cel = { expression: "this.matches(r'^[^@]+@[^@]+$')" }];`,
    });
    expect(result).toEqual({ code: 0, told: "" });
  });

  it("names each place whose expression is not linear", async () => {
    const { code, told } = await check({
      "src/a.ts": String.raw`const a = 1;
export const b = /^-r\s*=?\s*(\S+)$/;
export const c = new RegExp("(a|a)*b", "u");
export const d = "x".match(String(a)) ?? "x".search(${"`\\\\s+$`"});
export const e = (part: string) => RegExp(part + "+");
export const f = /(?:a{0,50}){0,50}b/;`,
      "bin/b.js": "export const a = /,+$/;",
      "proto/c.proto": String.raw`string a = 1 [(x).pattern = "^(\\s*a\\s*)*$"];`,
    });
    expect(code).toBe(1);
    const places = told.match(/^\S+:\d+(?=:)/gm);
    expect(places).toEqual([
      "bin/b.js:1",
      "proto/c.proto:1",
      "src/a.ts:2",
      "src/a.ts:3",
      "src/a.ts:4",
      "src/a.ts:5",
      "src/a.ts:6",
    ]);
  });
});

describe("judgeExpressions", () => {
  const made = expressionsInCode("src/a.ts", 'export const a = (b) => new RegExp(b + "+");');
  const exception = { file: "src/a.ts", text: 'new RegExp(b + "+")', reason: "b is ours" };

  it("passes what has an exception", async () => {
    expect(await judgeExpressions(made, [exception])).toEqual([]);
  });

  it("names an exception that nothing needs", async () => {
    const plain = expressionsInProto("proto/a.proto", 'string a = 1 [(x).pattern = "^a$"];');
    const stale = { file: "proto/a.proto", text: "^a$", reason: "short" };
    expect(await judgeExpressions([...made, ...plain], [exception, stale])).toEqual([
      "proto/a.proto: ^a$ needs no exception. Remove it.",
    ]);
    expect(await judgeExpressions(made, [{ ...exception, file: "src/b.ts" }])).toHaveLength(2);
  });
});
