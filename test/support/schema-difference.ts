import { MikroORM } from "@mikro-orm/postgresql";
import { buildOrmOptions, type OrmEntityList } from "../../src/platform/database/orm-options.ts";

/**
 * The SQL that a further migration would need to make what the entities
 * describe; empty when the migrations made exactly that.
 */
export async function schemaDifference(
  connectionString: string,
  entities: OrmEntityList,
): Promise<string> {
  const orm = await MikroORM.init(buildOrmOptions(connectionString, entities));
  try {
    return (await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false })).trim();
  } finally {
    await orm.close();
  }
}
