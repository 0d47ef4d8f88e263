/** What happens to items when people join and leave. */
import { describe, expect, it } from "vitest";
import type { EntityManager } from "@mikro-orm/postgresql";
import { agentExtensionMembershipHooks } from "../../../src/team/item/member-items.ts";
import { PooledAgentExtensionEntity } from "../../../src/team/item/pooled-item.entity.ts";
import { addAgentExtensionsToTeamPool } from "../../../src/team/item/pool.ts";
import { AgentExtensionEntity } from "../../../src/team/item/item.entity.ts";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { makeItem } from "./item-fixture.ts";
import { insertTeam } from "../../support/team-rows.ts";

const fixture = useAccountFixture();

describe("who joins", () => {
  it("[team.pool] pools its present items of the kinds that it shares, each told to the team", async () => {
    const { teamId, userId } = await newSeat();
    const [rule, skill] = [await make(userId, "rules"), await make(userId, "skills")];
    await make(userId, "mcp");
    const { id: other } = await fixture.user();
    await make(other, "rules");
    await inTransaction((tx) =>
      agentExtensionMembershipHooks.onJoin(tx, actor(userId), { teamId, userId }, [
        "rules",
        "skills",
      ]),
    );
    expect(await poolOf(teamId)).toEqual([rule, skill]);
    const events = await fixture.events(teamId);
    expect(events.map(({ type, target }) => `${type} ${target}`).toSorted()).toEqual(
      [rule, skill].map((id) => `item.pooled ${id}`).toSorted(),
    );
  });

  it("pools nothing for no kinds, and leaves what is in the pool already", async () => {
    const { teamId, userId } = await newSeat();
    const [first, second] = [await make(userId, "rules"), await make(userId, "rules")];
    const join = (kinds: readonly "rules"[]) =>
      inTransaction((tx) =>
        agentExtensionMembershipHooks.onJoin(tx, actor(userId), { teamId, userId }, kinds),
      );
    await join([]);
    expect(await poolOf(teamId)).toEqual([]);
    await poolByHand(teamId, second);
    fixture.clock.advance(1);
    await join(["rules"]);
    expect(await poolOf(teamId)).toEqual([second, first]);
    expect(await fixture.events(teamId)).toHaveLength(2);
  });
});

describe("who leaves", () => {
  it("takes its own items along, out of this pool only", async () => {
    const { teamId, userId } = await newSeat();
    const elsewhere = await newSeat();
    const { id: staying } = await fixture.user();
    const [own, foreign] = [await make(userId, "mcp"), await make(staying, "mcp")];
    for (const item of [own, foreign]) await poolByHand(teamId, item);
    await poolByHand(elsewhere.teamId, own);
    await inTransaction((tx) =>
      agentExtensionMembershipHooks.onLeave(tx, actor(userId), { teamId, userId }),
    );
    expect(await poolOf(teamId)).toEqual([foreign]);
    expect(await poolOf(elsewhere.teamId)).toEqual([own]);
    const last = (await fixture.events(teamId)).find(({ type }) => type === "item.unpooled");
    expect(last).toMatchObject({ target: own, before: { kind: "mcp", user_id: userId } });
  });
});

describe("a team that is deleted", () => {
  it("has an empty pool; the items stay with their owners", async () => {
    const { teamId, userId } = await newSeat();
    const item = await make(userId, "rules");
    await poolByHand(teamId, item);
    await inTransaction((tx) =>
      agentExtensionMembershipHooks.onTeamDeleted(tx, actor(userId), teamId),
    );
    expect(await poolOf(teamId)).toEqual([]);
    expect(
      await fixture.fork().findOne(AgentExtensionEntity, { id: item, deletedAt: null }),
    ).not.toBeNull();
  });
});

async function newSeat(): Promise<{ teamId: string; userId: string }> {
  const { id: userId } = await fixture.user();
  const teamId = await insertTeam(fixture.connectionString, [{ userId, role: "owner" }]);
  return { teamId, userId };
}

function make(userId: string, kind: "mcp" | "rules" | "skills"): Promise<string> {
  return makeItem(fixture, userId, kind);
}

function actor(userId: string) {
  return fixture.sessionActor(userId);
}

function inTransaction(work: (tx: EntityManager) => Promise<void>): Promise<void> {
  return fixture.fork().transactional(work);
}

async function poolByHand(teamId: string, itemId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const item = await tx.findOneOrFail(AgentExtensionEntity, { id: itemId });
    await addAgentExtensionsToTeamPool(tx, actor(item.accountId), teamId, [item], () => undefined);
  });
}

async function poolOf(teamId: string): Promise<string[]> {
  const rows = await fixture
    .fork()
    .find(
      PooledAgentExtensionEntity,
      { accountId: teamId, removedAt: null },
      { populate: ["item"], orderBy: { pooledAt: "asc", item: { createdAt: "asc" } } },
    );
  return rows.map(({ item }) => item.id);
}
