import type { EntityManager } from "@mikro-orm/postgresql";
import { lowerCaseHeaders } from "../../platform/endpoint/header-rules.ts";
import type { AgentItemOwner } from "../../domain/agent-turn.ts";
import type { AgentItemsByKind } from "../../domain/agent-items.ts";
import { TeamMemberEntity } from "../team-member.entity.ts";
import type { ItemSecrets } from "./item-secrets.ts";
import { ItemEntity, type Item } from "./item.entity.ts";
import { PooledItemEntity } from "./pooled-item.entity.ts";

/**
 * Reads what the agent works with in an account: a person's own items and the pools of the
 * person's teams, for a team key the pool of its team alone. MCP servers of a team come
 * only once the person is confirmed there. An item that comes twice is there once.
 */
export async function readAgentItems(
  em: EntityManager,
  receiver: AgentItemOwner,
  secrets: ItemSecrets,
): Promise<AgentItemsByKind> {
  const items = uniqueItems([
    ...(await personalItems(em, receiver)),
    ...(await findPooled(em, receiver)),
  ]);
  const ofKind = (kind: Item["kind"]) => items.filter((item) => item.kind === kind);
  return {
    rules: ofKind("rules").map(({ id, text }) => ({ id, text: text ?? "" })),
    skills: ofKind("skills").map(({ id, name, description, text }) => ({
      id,
      name: name ?? "",
      description: description ?? "",
      text: text ?? "",
    })),
    mcpServers: ofKind("mcp").map((item) => ({
      id: item.id,
      name: item.name ?? undefined,
      url: item.url ?? "",
      headers: lowerCaseHeaders(secrets.open(item)),
      tools: item.tools,
      needsApproval: item.approval === "always",
    })),
  };
}

function isPerson({ accountId, userId }: AgentItemOwner): boolean {
  return accountId === userId;
}

async function personalItems(em: EntityManager, receiver: AgentItemOwner): Promise<Item[]> {
  if (!isPerson(receiver)) return [];
  const where = { accountId: receiver.userId, deletedAt: null };
  return em.find(ItemEntity, where, {
    orderBy: { createdAt: "asc", id: "asc" },
    disableIdentityMap: true,
  });
}

async function findPooled(em: EntityManager, receiver: AgentItemOwner): Promise<Item[]> {
  const seats = await membershipsOf(em, receiver);
  const rows = await em.find(
    PooledItemEntity,
    { accountId: { $in: seats.map(({ teamId }) => teamId) }, removedAt: null },
    {
      populate: ["item"],
      orderBy: { pooledAt: "asc", item: { id: "asc" } },
      disableIdentityMap: true,
    },
  );
  return seats.flatMap(({ teamId, confirmed }) =>
    rows
      .filter((row) => row.accountId === teamId && (confirmed || row.item.kind !== "mcp"))
      .map(({ item }) => item),
  );
}

/** The teams that give, in the order the person joined them. */
async function membershipsOf(
  em: EntityManager,
  receiver: AgentItemOwner,
): Promise<{ teamId: string; confirmed: boolean }[]> {
  const { accountId, userId } = receiver;
  const team = { deletedAt: null, ...(!isPerson(receiver) && { id: accountId }) };
  const members = await em.find(
    TeamMemberEntity,
    { user: userId, leftAt: null, team },
    { orderBy: { joinedAt: "asc", team: { id: "asc" } }, disableIdentityMap: true },
  );
  return members.map((member) => ({ teamId: member.team.id, confirmed: member.confirmed }));
}

function uniqueItems(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
