import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditEvent as AuditEventMessage } from "../../gen/ts/causeway/audit/v1/audit_pb.ts";
import type { AuditLogEvent } from "../domain/audit/audit-event.entity.ts";
import { viewAuditEvent } from "../domain/audit/audit-event.view.ts";
import { TeamInviteEntity } from "./team-invite.entity.ts";

/**
 * Makes the view of a team's events for those who may list its invites: events about
 * one name its address, for as long as it is kept. The log itself holds none,
 * because it is for ever.
 */
export async function createTeamAuditEventConverter(
  em: EntityManager,
  events: readonly AuditLogEvent[],
): Promise<(event: AuditLogEvent) => AuditEventMessage> {
  const emails = await invitedAddresses(em, events.filter(isAboutInvite));
  return (event) => {
    const email = emails.get(event.target);
    return viewAuditEvent(email === undefined ? event : withEmail(event, email));
  };
}

function isAboutInvite({ type }: AuditLogEvent): boolean {
  return type.startsWith("invite.");
}

/** As they were typed, by the id of the invite. */
async function invitedAddresses(
  em: EntityManager,
  events: readonly AuditLogEvent[],
): Promise<ReadonlyMap<string, string>> {
  const invites = await em.find(
    TeamInviteEntity,
    { id: { $in: events.map(({ target }) => target) }, email: { $ne: "" } },
    { fields: ["email"], disableIdentityMap: true },
  );
  return new Map(invites.map(({ id, email }) => [id, email]));
}

function withEmail(event: AuditLogEvent, email: string): AuditLogEvent {
  const { before, after } = event;
  return { ...event, before: before && { email, ...before }, after: after && { email, ...after } };
}
