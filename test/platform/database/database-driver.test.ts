import { PostgreSqlDriver, MikroORM } from "@mikro-orm/postgresql";
import fc from "fast-check";
import { escapeLiteral } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { buildOrmOptions } from "../../../src/platform/database/orm-options.ts";
import { toStorableText } from "../../../src/platform/database/storable-text.ts";

const options = buildOrmOptions("postgres://user@127.0.0.1:1/none", []);
const orm = new MikroORM(options);
const original = new MikroORM({ ...options, driver: PostgreSqlDriver });

afterAll(() => Promise.all([orm.close(), original.close()]));

function formatted({ em }: MikroORM, value: unknown): string {
  return em.getPlatform().formatQuery("select ? as a, ? as b", [value, 1]);
}

const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        "\\",
        "\0",
        "\n",
        "?",
        "??",
        "\\?",
        "$&",
        "$1",
        "\ud800",
        "\udfff",
        "😀",
      ),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

describe("DatabaseDriver", () => {
  it("quotes any storable text as the original driver and pg do", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const storable = toStorableText(text);
        expect(formatted(orm, text)).toBe(formatted(original, storable));
        expect(formatted(orm, text)).toBe(`select ${escapeLiteral(storable)} as a, 1 as b`);
      }),
      { numRuns: 2000 },
    );
  });

  it("quotes the texts of lists and objects as the original driver does", () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 1 }), (texts) => {
        expect(formatted(orm, texts)).toBe(formatted(original, texts.map(toStorableText)));
        expect(formatted(orm, { texts })).toBe(formatted(original, { texts }));
      }),
    );
  });
});
