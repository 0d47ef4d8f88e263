import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import type { CallTags } from "../domain/call-tags.ts";
import type {
  CallAttempt,
  CallDialect,
  CallForwardingMode,
  PaymentRoute,
  SkippedTarget,
} from "../domain/call-log-entry.ts";

/**
 * What is told of a model call, for `retention.calls_days`; what it used is in the
 * ledger, for ever. Partitioned by the day of `at` (`call-partitions.ts`).
 */
export const LoggedCallEntity = defineEntity({
  name: "Call",
  tableName: "calls",
  properties: {
    /** `call_…`. */
    id: p.text().primary(),
    /** When it ended. */
    at: p.datetime(3).primary(),
    accountId: p.text(),
    keyId: p.text(),
    requestId: p.text(),
    dialect: p.text().$type<CallDialect>(),
    operation: p.text(),
    /** Canonical ids here and below. */
    model: p.text().strictNullable(),
    target: p.text().strictNullable(),
    route: p.text().$type<PaymentRoute>().strictNullable(),
    lane: p.text().$type<CallForwardingMode>().strictNullable(),
    stream: p.boolean(),
    status: p.integer(),
    errorCode: p.text().strictNullable(),
    /** Milliseconds of the only dial, which `target` answered with `status`; null: see `attempts`. */
    dialMs: p.integer().strictNullable(),
    /** Null here and below: none. */
    attempts: p.json<CallAttempt[]>().strictNullable(),
    skipped: p.json<SkippedTarget[]>().strictNullable(),
    ms: p.integer(),
    firstByteMs: p.integer().strictNullable(),
    warnings: p.json<string[]>().strictNullable(),
    tags: p.json<CallTags>().strictNullable(),
    /** What `tag=` finds it by (`tag-marks.ts`). */
    tagged: p.array().strictNullable(),
    /** Of a response that its upstream keeps. */
    responseId: p.text().strictNullable(),
    turn: p.text().strictNullable(),
    repeated: p.boolean(),
  },
  indexes: [
    { name: "calls_at_index", properties: ["at"] },
    { name: "calls_account_id_index", properties: ["accountId", "at"] },
    { name: "calls_key_id_index", properties: ["keyId", "at"] },
    { name: "calls_model_index", properties: ["model", "accountId", "at"] },
    {
      name: "calls_status_index",
      properties: ["status", "accountId", "at"],
      where: `"status" <> 200`,
    },
    {
      name: "calls_error_code_index",
      properties: ["errorCode", "accountId", "at"],
      where: `"error_code" is not null`,
    },
    {
      name: "calls_response_id_index",
      properties: ["responseId", "accountId"],
      where: `"response_id" is not null`,
    },
    {
      name: "calls_tagged_index",
      properties: ["tagged"],
      type: "gin",
      where: `"tagged" is not null`,
    },
  ],
});

export type LoggedCall = InferEntity<typeof LoggedCallEntity>;
