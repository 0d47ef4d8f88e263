import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditActor } from "../domain/audit/audit.ts";

/** Kinds of items. */
export const agentExtensionKinds = ["mcp", "rules", "skills"] as const;

export type AgentExtensionKind = (typeof agentExtensionKinds)[number];

/** A person in a team. */
export interface TeamMembershipId {
  readonly teamId: string;
  readonly userId: string;
}

/**
 * What membership means for items, which are another part of this domain. Each
 * is called in the transaction of `em`, with the team's row locked.
 */
export interface MembershipChangeHooks {
  /** Pools the new member's present items of these kinds. The share policy has been asked. */
  onJoin(
    em: EntityManager,
    actor: AuditActor,
    seat: TeamMembershipId,
    kinds: readonly AgentExtensionKind[],
  ): Promise<void>;
  /** Takes the items of somebody who is no longer a member out of the pool. */
  onLeave(em: EntityManager, actor: AuditActor, seat: TeamMembershipId): Promise<void>;
  /** Empties the pool of a team that is being deleted. */
  onTeamDeleted(em: EntityManager, actor: AuditActor, teamId: string): Promise<void>;
}
