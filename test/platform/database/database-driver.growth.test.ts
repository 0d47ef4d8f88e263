import { MikroORM } from "@mikro-orm/postgresql";
import { afterAll, describe, expect, it } from "vitest";
import { buildOrmOptions } from "../../../src/platform/database/orm-options.ts";
import { expectLinear } from "../../support/growth.ts";

const orm = new MikroORM(buildOrmOptions("postgres://user@127.0.0.1:1/none", []));

afterAll(() => orm.close());

describe("DatabaseDriver", () => {
  it.each(["a", "ä", "Ω", "It's a line of plain text.", "'"])(
    "writes a text of many %s into a statement in time that grows with its length",
    (unit) => {
      expectLinear(4 * 1024 * 1024, (letters) => {
        const text = unit.repeat(letters / unit.length);
        return () => {
          const statement = orm.em.getPlatform().formatQuery("select ? as a", [text]);
          // As the driver sends it.
          expect(Buffer.byteLength(statement)).toBeGreaterThan(text.length);
        };
      });
    },
  );
});
