import { existsSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { wholeContract } from "../src/contract/services.ts";
import { operationId } from "./contract/contract-files.ts";
import { pinnedOperations } from "./contract/pinned-operations.ts";
import ordinaryRun from "../vitest.config.ts";
import polyglotRun from "../vitest.polyglot.config.ts";
import redisRun from "../vitest.redis.config.ts";
import shellsRun from "../vitest.shells.config.ts";
import { requirements } from "./requirements.ts";

const repository = join(import.meta.dirname, "..");

/** Operations that are written by hand and not in proto. */
const modelCalls = [
  "createChatCompletion",
  "createResponse",
  "compactResponse",
  "createMessage",
  "createEmbedding",
];
const keptResponses = [
  "getResponse",
  "cancelResponse",
  "deleteResponse",
  "listResponseInputItems",
  "countResponseInputTokens",
];

/** A line that opens a test or suite, or a row of a table of tests. */
const titleLine = /\b(?:it|test|describe)\b|^\s*(?:\](?: as const)?\)\()?["'`[]/;

/** What runs tests; those that need more than npm installs have a run of their own. */
const runs = [
  { command: "npm test", config: ordinaryRun },
  { command: "npm run test:redis", config: redisRun },
  { command: "npm run test:shells", config: shellsRun },
  { command: "npm run test:polyglot", config: polyglotRun },
] as const;

beforeAll(() => {
  process.stdout.write(`${summary()}\n`);
});

describe("requirements", () => {
  it("have ids that are unique and well formed", () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const form = /^[a-z][a-z0-9-]*\.[A-Za-z0-9][A-Za-z0-9_-]*$/;
    expect(ids.filter((id) => !form.test(id))).toEqual([]);
  });

  it("say one sentence each, and none twice", () => {
    const sentences = requirements.map(({ sentence }) => sentence);
    const wrong = sentences.filter((it) => !it.endsWith(".") || it.length > 120);
    expect(wrong).toEqual([]);
    expect(sentences.filter((it, index) => sentences.indexOf(it) !== index)).toEqual([]);
  });

  it("have tests", () => {
    expect(requirements.filter(({ tests }) => tests.length === 0).map(({ id }) => id)).toEqual([]);
  });

  it("name tests that are there", () => {
    const missing = requirements.flatMap(({ id, tests }) =>
      tests.filter((test) => !isThere(test)).map((test) => `${id}: ${test}`),
    );
    expect(missing).toEqual([]);
  });

  it("name tests that one of the runs of continuous integration makes", () => {
    const files = new Set(requirements.flatMap(({ tests }) => tests.map(fileOf)));
    const astray = [...files].filter((file) => runsOf(file).length !== 1);
    expect(astray).toEqual([]);
    const commands = readFileSync(join(repository, ".ci/run"), "utf8").split("\n");
    expect(commands).toEqual(expect.arrayContaining(runs.map(({ command }) => command)));
  });

  it("hold every operation that is pinned or written by hand, and no other", () => {
    const pinned = pinnedOperations.map(([id]) => id);
    const expected = [...pinned, ...modelCalls, ...keptResponses].map((id) => `operation.${id}`);
    const named = requirements.map(({ id }) => id).filter((id) => id.startsWith("operation."));
    expect(named.toSorted(compare)).toEqual(expected.toSorted(compare));
  });

  it("have tests for every operation that is mounted, and only for those", () => {
    const mounted = wholeContract.flatMap(({ methods }) => methods);
    const handWritten = [...modelCalls, ...keptResponses];
    const expected = [...mounted.map(operationId), ...handWritten].map((id) => `operation.${id}`);
    const tested = requirements.map(({ id }) => id).filter((id) => id.startsWith("operation."));
    expect(tested.toSorted(compare)).toEqual(expected.toSorted(compare));
  });
});

function fileOf(test: string): string {
  return test.split(" > ", 1)[0] ?? "";
}

/** Commands that run the tests of a file. */
function runsOf(file: string): string[] {
  const isIn = (patterns: readonly string[] = []) => patterns.some((it) => matchesGlob(file, it));
  return runs
    .filter(({ config: { test } }) => isIn(test?.include) && !isIn(test?.exclude))
    .map(({ command }) => command);
}

/** Whether the file of a test is there and holds the part of the title on a line that has titles. */
function isThere(test: string): boolean {
  const [file = "", ...fragment] = test.split(" > ");
  const path = join(repository, file);
  const title = fragment.join(" > ");
  return title !== "" && existsSync(path) && titleLines(path).some((line) => line.includes(title));
}

const linesOf = new Map<string, readonly string[]>();

function titleLines(path: string): readonly string[] {
  const known = linesOf.get(path);
  if (known !== undefined) return known;
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => titleLine.test(line));
  linesOf.set(path, lines);
  return lines;
}

function summary(): string {
  const apart = runs.slice(1).map(({ command }) => {
    const tests = requirements.filter((it) =>
      it.tests.some((test) => runsOf(fileOf(test))[0] === command),
    );
    return `${tests.length} of them by \`${command}\``;
  });
  return `requirements: ${requirements.length} (${apart.join(", ")})`;
}

function compare(a: string, b: string): number {
  return a.localeCompare(b);
}
