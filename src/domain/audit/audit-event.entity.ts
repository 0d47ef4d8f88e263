import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/** Kinds of callers; `nobody` sends no credential. */
export const auditActorKinds = ["user", "key", "operator", "nobody", "server"] as const;

export type AuditActorKind = (typeof auditActorKinds)[number];

/** What an event says of its target before or after the change. Never holds a secret. */
export type AuditDetails = JsonObject;

/**
 * One change, for ever: the database refuses to update or delete a row. Serves
 * accounts (users and teams) and the operator alike.
 */
export const AuditLogEventEntity = defineEntity({
  name: "AuditEvent",
  tableName: "audit_events",
  properties: {
    id: p.text().primary(),
    /** User or team that the change concerns. */
    accountId: p.text(),
    /** `key.created` for instance. */
    type: p.text(),
    at: p.datetime(3),
    actorUserId: p.text().strictNullable(),
    actorKeyId: p.text().strictNullable(),
    /** Null: from before this was kept. */
    actorKind: p.enum(auditActorKinds).strictNullable(),
    /** Address of the caller; null: the server itself. */
    address: p.text().strictNullable(),
    requestId: p.text().strictNullable(),
    /** Id of what was changed. */
    target: p.text(),
    before: p.json<AuditDetails>().strictNullable(),
    after: p.json<AuditDetails>().strictNullable(),
  },
  indexes: [
    { name: "audit_events_account_id_index", properties: ["accountId", "at", "id"] },
    { name: "audit_events_at_index", properties: ["at", "id"] },
  ],
});

export type AuditLogEvent = InferEntity<typeof AuditLogEventEntity>;
