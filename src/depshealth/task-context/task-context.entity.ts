import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/**
 * What a caller said it was about. Nothing here leads back to a caller: no
 * address, and no time but the day, in the id neither.
 */
export const CallerTaskContextEntity = defineEntity({
  name: "TaskContext",
  tableName: "task_contexts",
  properties: {
    id: p.text().primary(),
    text: p.text(),
    /** `package_health`, `deps_audit` or `runtime_eol`. */
    tool: p.text(),
    /** Null: none, or several. */
    ecosystem: p.text().strictNullable(),
    /** UTC, `2026-11-20`. */
    day: p.text(),
  },
  indexes: [{ name: "task_contexts_day_index", properties: ["day", "id"] }],
});

export type CallerTaskContext = InferEntity<typeof CallerTaskContextEntity>;
