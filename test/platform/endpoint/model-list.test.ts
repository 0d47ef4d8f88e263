import { describe, expect, it } from "vitest";
import { readUpstreamModelList } from "../../../src/platform/endpoint/model-list.ts";

describe("readUpstreamModelList()", () => {
  it("reads the list of a chat upstream", () => {
    const list = readUpstreamModelList({
      object: "list",
      data: [
        { id: "a", object: "model", created: 1, owned_by: "x", context_length: 8192 },
        { id: "b", object: "model", name: "Bee", top_provider: {}, max_completion_tokens: 100 },
      ],
    });
    expect(list).toEqual({
      dialect: "dialect_chat",
      models: [
        { id: "a", name: undefined, created: 1, contextWindow: 8192, maxOutputTokens: undefined },
        {
          id: "b",
          name: "Bee",
          created: undefined,
          contextWindow: undefined,
          maxOutputTokens: 100,
        },
      ],
    });
  });

  it("reads the list of a messages upstream", () => {
    const list = readUpstreamModelList({
      data: [
        {
          type: "model",
          id: "c",
          display_name: "Sea",
          created_at: "2026-02-05T00:00:00Z",
          max_input_tokens: 200000,
          max_tokens: 64000,
        },
      ],
      has_more: false,
      first_id: "c",
      last_id: "c",
    });
    expect(list).toEqual({
      dialect: "dialect_messages",
      models: [
        {
          id: "c",
          name: "Sea",
          created: 1_770_249_600,
          contextWindow: 200000,
          maxOutputTokens: 64000,
        },
      ],
    });
  });

  it.each([
    ["a bare array", ["a", { id: "b" }], ["a", "b"]],
    ["a models array", { models: [{ id: "a" }] }, ["a"]],
    ["an empty list", { data: [] }, []],
    ["doubles", { data: [{ id: "a" }, { id: "a" }] }, ["a"]],
    [
      "useless entries",
      { data: [null, 1, {}, { id: "" }, { id: " b " }, { id: 7 }, { id: "c\0" }] },
      ["b"],
    ],
    [
      "names that objects inherit",
      { data: [{ id: "__proto__" }, { id: "constructor" }] },
      ["__proto__", "constructor"],
    ],
  ])("reads %s", (_, json, ids) => {
    expect(readUpstreamModelList(json)?.models.map(({ id }) => id)).toEqual(ids);
  });

  it.each([[{ status: "ok" }], ["text"], [null], [7], [{ data: {} }]])(
    "takes the body %j for no list",
    (json) => {
      expect(readUpstreamModelList(json)).toBeUndefined();
    },
  );

  it("reads a thousand models and no more", () => {
    const data = Array.from({ length: 1500 }, (_, index) => ({ id: `m${index}` }));
    expect(readUpstreamModelList({ data })?.models).toHaveLength(1000);
  });

  it("takes a list that clients of both read for one of chat, which its upstream then speaks", () => {
    const entry = { id: "a", object: "model", type: "model" };
    expect(readUpstreamModelList({ object: "list", data: [entry] })?.dialect).toBe("dialect_chat");
  });

  it.each([0, -1, 1.5, "soon", "", 1_700_000_000_000, null, {}])(
    "takes no time out of %j",
    (created) => {
      expect(readUpstreamModelList([{ id: "a", created }])?.models[0]?.created).toBeUndefined();
    },
  );

  it.each([0, -1, 1.5, "8192", 2 ** 31, null])("takes no number out of %j", (value) => {
    expect(
      readUpstreamModelList([{ id: "a", context_window: value }])?.models[0]?.contextWindow,
    ).toBeUndefined();
  });
});
