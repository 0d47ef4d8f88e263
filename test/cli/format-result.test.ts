import { describe, expect, it } from "vitest";
import { formatCliResultAsText } from "../../src/cli/format-result.ts";

const at = "2026-11-20T23:00:00.120Z";

describe("readable()", () => {
  it("prints a list as a table, with readable times and a dash for nothing", () => {
    const data = [
      { object: "key", id: "key_1", name: "long name", scopes: ["a", "b"], used_at: at },
      { object: "key", id: "key_2", name: "n", scopes: [], used_at: null },
    ];
    expect(formatCliResultAsText({ object: "list", data, has_more: false })).toBe(
      [
        "id     name       scopes  used_at",
        "key_1  long name  a, b    2026-11-20 23:00:00 UTC",
        "key_2  n          -       -",
      ].join("\n"),
    );
  });

  it("prints what is nested in a cell as pairs, and cuts what is long", () => {
    const probe = { ok: true, models_found: 3 };
    const [, line] = formatCliResultAsText({ data: [{ probe, text: "x".repeat(100) }] }).split(
      "\n",
    );
    expect(line).toBe(`ok=true models_found=3  ${"x".repeat(59)}…`);
  });

  it("says when a list is empty, and how to see more of it", () => {
    expect(formatCliResultAsText({ data: [], has_more: false, last_id: null })).toBe("(none)");
    expect(formatCliResultAsText({ data: [{ id: "a" }], has_more: true, last_id: "a" })).toBe(
      "id\na\nmore with --after-id a",
    );
  });

  it("prints one thing as lines, what is nested below its name", () => {
    expect(
      formatCliResultAsText({ object: "user", id: "user_1", probe: { at, ok: false }, x: {} }),
    ).toBe(
      ["id     user_1", "probe:", "  at  2026-11-20 23:00:00 UTC", "  ok  false", "x      -"].join(
        "\n",
      ),
    );
  });

  it("prints an answer that is nothing but a list as a table as well", () => {
    const aliases = [
      { object: "alias", token: "fast", vendor: "acme" },
      { object: "alias", token: "big", vendor: "bolt" },
    ];
    expect(formatCliResultAsText({ aliases })).toBe("token  vendor\nfast   acme\nbig    bolt");
  });

  it("prints a list of objects among other fields as a table below its name", () => {
    const changes = [
      { rev: 6, token: "a", deleted: true },
      { rev: 7, token: "b", deleted: false, alias: { object: "alias", token: "b" } },
    ];
    expect(formatCliResultAsText({ rev: 7, changes, tags: ["x", "y"] })).toBe(
      [
        "rev      7",
        "changes:",
        "  rev  token  deleted  alias",
        "    6  a      true     -",
        "    7  b      false    token=b",
        "tags     x, y",
      ].join("\n"),
    );
  });

  it("says that it is done when there is nothing to print", () => {
    expect(formatCliResultAsText({})).toBe("done");
  });

  it("takes out what would steer the terminal", () => {
    expect(formatCliResultAsText({ label: "a\u001B[2J\u0007\nb" })).toBe(
      "label  a\uFFFD[2J\uFFFD\uFFFDb",
    );
  });
});
