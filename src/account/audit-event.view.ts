import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EntityManager } from "@mikro-orm/postgresql";
import {
  AuditActorKind as ActorKindNumber,
  AuditEventSchema,
  type AuditEvent as AuditEventMessage,
} from "../../gen/ts/causeway/audit/v1/audit_pb.ts";
import type { AuditActorKind, AuditEvent } from "./audit-event.entity.ts";

/** The addresses of invites that still have one, by the id of the invite. */
export type InvitedAddresses = (
  em: EntityManager,
  inviteIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/**
 * Makes the view of events for readers who may see whom a team has invited. The log
 * itself holds no address, because it is for ever.
 */
export async function auditEventViewer(
  em: EntityManager,
  events: readonly AuditEvent[],
  invitedAddresses: InvitedAddresses,
): Promise<(event: AuditEvent) => AuditEventMessage> {
  const invites = events.filter(({ type }) => type.startsWith("invite."));
  const ids = invites.map(({ target }) => target);
  const emails = ids.length === 0 ? new Map<string, string>() : await invitedAddresses(em, ids);
  return (event) => {
    const email = emails.get(event.target);
    if (email === undefined) return auditEventView(event);
    const [before, after] = [event.before, event.after].map((side) => side && { email, ...side });
    return auditEventView({ ...event, before: before ?? null, after: after ?? null });
  };
}

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
      kind: actorKind(event),
    },
    address: event.address ?? undefined,
    requestId: event.requestId ?? undefined,
    target: event.target,
    before: event.before ?? undefined,
    after: event.after ?? undefined,
  });
}

const kindNumbers: Readonly<Record<AuditActorKind, ActorKindNumber>> = {
  user: ActorKindNumber.USER,
  key: ActorKindNumber.KEY,
  operator: ActorKindNumber.OPERATOR,
  nobody: ActorKindNumber.NOBODY,
  server: ActorKindNumber.SERVER,
};

/** Of an event that does not hold it, its ids tell a person and a key. */
function actorKind({ actorKind: kind, actorKeyId, actorUserId }: AuditEvent) {
  if (kind !== null) return kindNumbers[kind];
  if (actorKeyId !== null) return ActorKindNumber.KEY;
  return actorUserId === null ? undefined : ActorKindNumber.USER;
}
