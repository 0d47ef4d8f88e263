/** What docs/contract.md and docs/contract-operations.md say of operations and errors is what is mounted. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { readMethodPolicy, type MethodPolicy } from "../../src/contract/method-policy.ts";
import { readRestRules } from "../../src/contract/rest-rule.ts";
import { allServiceDescriptors } from "../../src/contract/services.ts";
import { errorCatalog } from "../../src/platform/errors.ts";
import { describeStoredResponseOperations } from "../../src/transport/openapi/stored-response-operations.ts";
import { describeModelCallOperations } from "../../src/transport/openapi/model-call-operations.ts";
import { operationId } from "../contract/contract-files.ts";

const docs = join(import.meta.dirname, "../../docs");
const contract = readFileSync(join(docs, "contract.md"), "utf8");
const operations = readFileSync(join(docs, "contract-operations.md"), "utf8");

const methods = allServiceDescriptors.flatMap(({ methods: own }) => own);
const handWritten = [describeModelCallOperations(1), describeStoredResponseOperations(1)].flatMap(
  ({ operations: own }) => own,
);

describe("the page of operations", () => {
  it("has a row for each operation, with its route, credential and status", () => {
    const rows = tableRows(operations).filter(([id = ""]) => /^`\w+`$/.test(id));
    const mounted = [...methods.map(methodRow), ...handWritten.map(handWrittenRow)];
    expect(rows.map(joined).toSorted(compare)).toEqual(mounted.map(joined).toSorted(compare));
  });

  it("names those that take an Idempotency-Key", () => {
    const section = /## Idempotency\n+.*?:(.*?)\.\s/s.exec(operations)?.[1] ?? "";
    const named = [...section.matchAll(/`(\w+)`/g)].map(([, id = ""]) => id);
    const taking = methods.filter((method) => readMethodPolicy(method).idempotent).map(operationId);
    expect(named.toSorted(compare)).toEqual(taking.toSorted(compare));
  });
});

describe("the table of errors", () => {
  it("has every code of the catalogue at its status", () => {
    const rows = tableRows(contract).filter(([status = ""]) => /^\d{3}$/.test(status));
    const told = rows.flatMap(([status = "", codes = ""]) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code = ""]) => `${code} ${status}`),
    );
    const known = Object.entries(errorCatalog).map(([code, { status }]) => `${code} ${status}`);
    expect(told.toSorted(compare)).toEqual(known.toSorted(compare));
  });
});

function methodRow(method: DescMethod): string[] {
  const policy = readMethodPolicy(method);
  const [rule] = readRestRules(method);
  const route = rule === undefined ? "a Connect stream" : routeOf(rule.httpMethod, rule.template);
  return [`\`${operationId(method)}\``, route, callersOf(policy), String(policy.successStatus)];
}

function callersOf({ credentials, scope, personOnly }: MethodPolicy): string {
  if (credentials.length === 0) return "anyone";
  const key = scope === undefined ? "any key" : `\`${scope}\``;
  const callers = credentials.map((kind) => (kind === "key" ? key : kind)).join(" or ");
  return personOnly ? `${callers}, no team key` : callers;
}

function handWrittenRow({
  operationId: id,
  httpMethod,
  path,
}: {
  readonly operationId: string;
  readonly httpMethod: string;
  readonly path: string;
}): string[] {
  return [`\`${id}\``, routeOf(httpMethod, path), "`gateway:invoke`", "200"];
}

function routeOf(httpMethod: string, path: string): string {
  return `${httpMethod.toUpperCase()} \`${path}\``;
}

function tableRows(page: string): string[][] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

function joined(cells: readonly string[]): string {
  return cells.join(" | ");
}

function compare(a: string, b: string): number {
  return a.localeCompare(b);
}
