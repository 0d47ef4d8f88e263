import { describe, expect, it } from "vitest";
import { buildToolNames, collectOriginalTools } from "../../src/dialect/tool-names.ts";
import type { NeutralTool } from "../../src/dialect/neutral-request.ts";
import { callPart, emptyTurn } from "../support/empty-turn.ts";

function functionTool(name: string, namespace?: string): NeutralTool {
  return {
    type: "function",
    path: "tools[0]",
    name,
    namespace,
    parameters: undefined,
    strict: undefined,
    extras: [],
  };
}

const custom: NeutralTool = { type: "custom", path: "tools[0]", name: "patch", format: undefined };

function named(tools: readonly NeutralTool[], calls: readonly string[] = []) {
  const parts = calls.map((name, index) => ({ ...callPart(`call_${index}`), name }));
  return { ...emptyTurn, tools, messages: [{ path: "m", role: "assistant", parts }] } as const;
}

describe("tool names", () => {
  it("keeps what is right", () => {
    const names = buildToolNames(named([functionTool("get_time-2")]));
    expect(names.of("get_time-2", undefined)).toBe("get_time-2");
    expect(names.chosen("get_time-2")).toBe("get_time-2");
    expect(names.chosen("other")).toBeUndefined();
  });

  it("cuts long names and replaces illegal characters, each with its hash", () => {
    const long = "a".repeat(65);
    const names = buildToolNames(
      named([functionTool(long), functionTool("søk.1"), functionTool("søk_1")]),
    );
    expect(names.of(long, undefined)).toMatch(/^a{55}_[0-9a-f]{8}$/);
    expect(names.of("søk.1", undefined)).toMatch(/^s_k_1_[0-9a-f]{8}$/);
    expect(names.of("søk_1", undefined)).not.toBe(names.of("søk.1", undefined));
  });

  it("keeps what an upstream with longer names takes", () => {
    const long = "a".repeat(100);
    expect(buildToolNames(named([functionTool(long)]), 128).of(long, undefined)).toBe(long);
  });

  it("[function.namespace] flattens a namespace, and hashes what collides", () => {
    const tools = [functionTool("read", "files"), functionTool("files__read")];
    const names = buildToolNames(named(tools));
    expect(names.of("files__read", undefined)).toBe("files__read");
    expect(names.of("read", "files")).toMatch(/^files__read_[0-9a-f]{8}$/);
    expect(buildToolNames(named(tools.slice(0, 1))).of("read", "files")).toBe("files__read");
    expect(names.chosen("read")).toBe(names.of("read", "files"));
  });

  it("names the calls of the history as well", () => {
    const names = buildToolNames(named([], ["a b"]));
    expect(names.of("a b", undefined)).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  it("recalls what was renamed, flattened or wrapped, and nothing else", () => {
    const turn = named([functionTool("plain"), functionTool("read", "files"), custom]);
    const names = buildToolNames(turn);
    expect([...collectOriginalTools(turn, names, true)]).toEqual([
      ["files__read", { name: "read", namespace: "files", kind: "function" }],
      ["patch", { name: "patch", namespace: undefined, kind: "custom" }],
    ]);
    expect([...collectOriginalTools(turn, names, false).keys()]).toEqual(["files__read"]);
  });
});
