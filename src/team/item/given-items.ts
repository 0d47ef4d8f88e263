import type { EntityManager } from "@mikro-orm/postgresql";
import { dialledHeaders, type ExtraHeaders } from "../../platform/endpoint/header-rules.ts";
import { TeamMemberSchema } from "../team-member.entity.ts";
import type { ItemSecrets } from "./item-secrets.ts";
import { ItemSchema, type Item } from "./item.entity.ts";
import { PooledItemSchema } from "./pooled-item.entity.ts";

/** For whom the agent works: the account that a call runs in, and the person behind it. */
export interface ItemReceiver {
  /** The person's own, or the team of a team key. */
  readonly accountId: string;
  /** The person; of a team key its creator. */
  readonly userId: string;
}

/** Text that the agent always follows. */
export interface GivenRules {
  readonly id: string;
  readonly text: string;
}

/** Text that the agent reads when its description fits. */
export interface GivenSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly text: string;
}

/** A server whose tools the agent may use. Dial it through the checked dialer only. */
export interface GivenMcpServer {
  readonly id: string;
  readonly name: string | undefined;
  readonly url: string;
  /** In the clear, names in lower case: not for logs, answers or the model. */
  readonly headers: ExtraHeaders;
}

/** What a person and the person's teams give to the agent; own items first, then team by team. */
export interface GivenItems {
  readonly rules: readonly GivenRules[];
  readonly skills: readonly GivenSkill[];
  readonly mcpServers: readonly GivenMcpServer[];
}

/**
 * Reads what the agent works with in an account: a person's own items and the
 * pools of the person's teams, for a team key the pool of its team alone. MCP
 * servers of a team come only once the person is confirmed there (contract
 * section 6, Teams). An item that comes twice is there once.
 */
export async function givenItems(
  em: EntityManager,
  receiver: ItemReceiver,
  secrets: ItemSecrets,
): Promise<GivenItems> {
  const items = uniqueItems([...(await ownItems(em, receiver)), ...(await pooled(em, receiver))]);
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
      headers: dialledHeaders(secrets.open(item)),
    })),
  };
}

function isPerson({ accountId, userId }: ItemReceiver): boolean {
  return accountId === userId;
}

async function ownItems(em: EntityManager, receiver: ItemReceiver): Promise<Item[]> {
  if (!isPerson(receiver)) return [];
  const where = { accountId: receiver.userId, deletedAt: null };
  return em.find(ItemSchema, where, {
    orderBy: { createdAt: "asc", id: "asc" },
    disableIdentityMap: true,
  });
}

async function pooled(em: EntityManager, receiver: ItemReceiver): Promise<Item[]> {
  const seats = await seatsOf(em, receiver);
  const rows = await em.find(
    PooledItemSchema,
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
async function seatsOf(
  em: EntityManager,
  receiver: ItemReceiver,
): Promise<{ teamId: string; confirmed: boolean }[]> {
  const { accountId, userId } = receiver;
  const team = { deletedAt: null, ...(!isPerson(receiver) && { id: accountId }) };
  const members = await em.find(
    TeamMemberSchema,
    { user: userId, leftAt: null, team },
    { orderBy: { joinedAt: "asc", team: { id: "asc" } }, disableIdentityMap: true },
  );
  return members.map((member) => ({ teamId: member.team.id, confirmed: member.confirmed }));
}

function uniqueItems(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
