import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AuditEventSchema,
  type AuditEvent as AuditEventMessage,
} from "../../gen/ts/causeway/audit/v1/audit_pb.ts";
import type { AuditEvent } from "./audit-event.entity.ts";

/** An audit event as accounts, teams and the operator read it. */
export function auditEventView(event: AuditEvent): AuditEventMessage {
  return create(AuditEventSchema, {
    id: event.id,
    object: "audit_event",
    type: event.type,
    at: timestampFromDate(event.at),
    actor: {
      userId: event.actorUserId ?? undefined,
      keyId: event.actorKeyId ?? undefined,
    },
    address: event.address ?? undefined,
    requestId: event.requestId ?? undefined,
    target: event.target,
    before: event.before ?? undefined,
    after: event.after ?? undefined,
  });
}
