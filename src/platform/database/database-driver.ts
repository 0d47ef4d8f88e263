import { PostgreSqlDriver, PostgreSqlPlatform } from "@mikro-orm/postgresql";
import { toStorableJsonText, toStorableText } from "./storable-text.ts";

class DatabasePlatform extends PostgreSqlPlatform {
  /**
   * Quotes a value. The base class copies a text letter by letter, which for the few
   * megabytes of a long answer stops the process for seconds.
   */
  override escape(value: unknown): string {
    return typeof value === "string" ? quotedText(toStorableText(value)) : super.escape(value);
  }

  override convertJsonToDatabaseValue(value: unknown): unknown {
    const json: string | undefined = JSON.stringify(value);
    return json === undefined ? json : toStorableJsonText(json);
  }
}

/** As libpq's PQescapeLiteral quotes. */
function quotedText(text: string): string {
  const quoted = `'${doubled(text, "'")}'`;
  return text.includes("\\") ? ` E${doubled(quoted, "\\")}` : quoted;
}

/** Not `replaceAll`, which makes several objects of the heap for each match. */
function doubled(text: string, character: string): string {
  return text.split(character).join(character + character);
}

/** The driver of the ORM, which quotes long texts fast and stores any text. */
export const PostgresOrmDriver: typeof PostgreSqlDriver = class extends PostgreSqlDriver {
  protected override readonly platform: PostgreSqlPlatform = new DatabasePlatform();
};
