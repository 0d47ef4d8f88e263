import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AuditActorKind,
  AuditActorKindSchema,
  AuditEventSchema,
  type AuditEvent as AuditEventMessage,
} from "../../../gen/ts/causeway/audit/v1/audit_pb.ts";
import { enumNameToNumber } from "../../contract/enum-name.ts";
import type { AuditLogEvent } from "./audit-event.entity.ts";

/** An audit event as accounts, teams and the operator read it. */
export function viewAuditEvent(event: AuditLogEvent): AuditEventMessage {
  return create(AuditEventSchema, {
    id: event.id,
    object: "audit_event",
    type: event.type,
    at: timestampFromDate(event.at),
    actor: {
      userId: event.actorUserId ?? undefined,
      keyId: event.actorKeyId ?? undefined,
      kind: actorKind(event),
    },
    address: event.address ?? undefined,
    requestId: event.requestId ?? undefined,
    target: event.target,
    before: event.before ?? undefined,
    after: event.after ?? undefined,
  });
}

/** Of an event that does not hold it, its ids tell a person and a key. */
function actorKind({ actorKind: kind, actorKeyId, actorUserId }: AuditLogEvent) {
  if (kind !== null) return enumNameToNumber(AuditActorKindSchema, kind);
  if (actorKeyId !== null) return AuditActorKind.KEY;
  return actorUserId === null ? undefined : AuditActorKind.USER;
}
