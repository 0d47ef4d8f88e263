import type { JsonObject } from "@bufbuild/protobuf";

/** A row of usage as a row of a table: what it is summed by stands first. */
export function toUsageTableRow(row: JsonObject): JsonObject {
  const groups = ["day", "model", "key_id", "tag"].filter((name) => row[name] !== undefined);
  return {
    ...Object.fromEntries(groups.map((name) => [name, row[name] ?? null])),
    requests: row["requests"] ?? null,
    repeated: row["repeated"] ?? null,
    in: row["input_tokens"] ?? null,
    cached: row["cached_input_tokens"] ?? null,
    out: row["output_tokens"] ?? null,
    usd: row["cost_usd"] ?? null,
    notes: row["estimated"] === true ? "partly estimated" : null,
  };
}
