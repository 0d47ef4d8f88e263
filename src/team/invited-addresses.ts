import type { EntityManager } from "@mikro-orm/postgresql";
import { TeamInviteSchema } from "./team-invite.entity.ts";

/** The addresses of those invites that still have one, as they were typed, by the id of the invite. */
export async function invitedAddresses(
  em: EntityManager,
  inviteIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const invites = await em.find(
    TeamInviteSchema,
    { id: { $in: [...inviteIds] }, email: { $ne: "" } },
    { fields: ["email"], disableIdentityMap: true },
  );
  return new Map(invites.map(({ id, email }) => [id, email]));
}
