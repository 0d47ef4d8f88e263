import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../src/platform/errors.ts";
import {
  toListEnvelope,
  paginateArray,
  readPageRequest,
  type Page,
} from "../../src/platform/pagination.ts";

const identity = (id: string) => id;

/** Ids in list order, and a page size. */
const lists = fc.record({
  ids: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 30 }),
  limit: fc.integer({ min: 1, max: 10 }),
});

function walk(
  ids: readonly string[],
  limit: number,
  next: (page: Page<string>) => { afterId?: string; beforeId?: string },
  start: { afterId?: string; beforeId?: string },
): string[][] {
  const pages: string[][] = [];
  let page = paginateArray(readPageRequest({ limit, ...start }), ids, identity);
  pages.push([...page.rows]);
  while (page.hasMore) {
    page = paginateArray(readPageRequest({ limit, ...next(page) }), ids, identity);
    pages.push([...page.rows]);
  }
  return pages;
}

describe("paginateArray()", () => {
  test("walking forwards gives every row once, in order", () => {
    fc.assert(
      fc.property(lists, ({ ids, limit }) => {
        const pages = walk(ids, limit, (page) => ({ afterId: page.rows.at(-1) ?? "" }), {});
        expect(pages.flat()).toEqual(ids);
      }),
    );
  });

  test("walking backwards from the last row gives every row before it once, each page in list order", () => {
    fc.assert(
      fc.property(lists, ({ ids, limit }) => {
        const last = ids.at(-1);
        if (last === undefined) return;
        const pages = walk(ids, limit, (page) => ({ beforeId: page.rows[0] ?? "" }), {
          beforeId: last,
        });
        expect(pages.toReversed().flat()).toEqual(ids.slice(0, -1));
      }),
    );
  });

  test("[pages.has-more] has_more is true exactly when rows remain in the direction asked", () => {
    fc.assert(
      fc.property(lists, fc.nat(), ({ ids, limit }, pick) => {
        if (ids.length === 0) return;
        const position = pick % ids.length;
        const cursor = ids[position] ?? "";
        const after = paginateArray(readPageRequest({ limit, afterId: cursor }), ids, identity);
        const before = paginateArray(readPageRequest({ limit, beforeId: cursor }), ids, identity);
        expect(after.hasMore).toBe(ids.length - position - 1 > limit);
        expect(before.hasMore).toBe(position > limit);
      }),
    );
  });

  test("an id that is not in the list is refused with the cursor's name", () => {
    for (const [field, param] of [
      ["afterId", "after_id"],
      ["beforeId", "before_id"],
    ] as const) {
      const request = readPageRequest({ [field]: "nowhere" });
      expect(() => paginateArray(request, ["a"], identity)).toThrow(
        expect.objectContaining({ code: "invalid_request", param }),
      );
    }
  });
});

describe("readPageRequest()", () => {
  test("the default page holds 20 from the start", () => {
    expect(readPageRequest({})).toEqual({ limit: 20, direction: "after", cursor: undefined });
  });

  test.each([0, 101, -1, 1.5, Number.NaN])("limit %s is refused", (limit) => {
    expect(() => readPageRequest({ limit })).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "limit" }),
    );
  });

  test("both cursors at once are refused", () => {
    expect(() => readPageRequest({ afterId: "a", beforeId: "b" })).toThrow(ApiError);
  });
});

describe("listEnvelope()", () => {
  test("names the first and the last id", () => {
    const envelope = toListEnvelope(
      { rows: ["a", "b"], hasMore: true },
      (id) => ({ id }),
      (id) => id,
    );
    expect(envelope).toEqual({
      object: "list",
      data: [{ id: "a" }, { id: "b" }],
      hasMore: true,
      firstId: "a",
      lastId: "b",
    });
  });

  test("has no ids without rows", () => {
    const envelope = toListEnvelope({ rows: [], hasMore: false }, identity, identity);
    expect(envelope).toMatchObject({ data: [], firstId: undefined, lastId: undefined });
  });
});
