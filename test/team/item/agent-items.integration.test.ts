/** What the agent gets of a person's items and those of its teams. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { rewrapSealedColumns } from "../../../src/domain/rewrap.ts";
import { allSealedColumns } from "../../../src/app/start/rewrap-keys.ts";
import { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { noOmittedAgentExtensions } from "../../../src/domain/agent-items.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { noopMemoryReserver } from "../../../src/platform/hold-memory.ts";
import type { AgentExtensionOwner } from "../../../src/domain/agent-turn.ts";
import { DatabaseAgentExtensionReader } from "../../../src/team/item/agent-items.ts";
import { AgentExtensionHeaderSealer } from "../../../src/team/item/item-secrets.ts";
import { AgentExtensionEntity } from "../../../src/team/item/item.entity.ts";
import { deleteAgentExtension } from "../../../src/team/item/items.ts";
import { addExtensionToTeamPool } from "../../../src/team/item/team-items.ts";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { insertTeam } from "../../support/team-rows.ts";
import { makeItem } from "./item-fixture.ts";

const fixture = useAccountFixture();

describe("DatabaseAgentExtensionReader", () => {
  it("gives a person its own items, each kind with what it needs", async () => {
    const { id: userId } = await fixture.user();
    const mcp = await makeItem(fixture, userId, "mcp", { fields: { name: "Files" } });
    const rules = await makeItem(fixture, userId, "rules");
    const skill = await makeItem(fixture, userId, "skills");
    expect(await given({ accountId: userId, userId })).toEqual({
      rules: [{ id: rules, text: "Be brief." }],
      skills: [{ id: skill, name: "skill", description: "When asked" }],
      mcpServers: [
        {
          id: mcp,
          name: "Files",
          url: "https://mcp.example/",
          headers: { authorization: "Bearer s3cret" },
          tools: [],
          needsApproval: false,
        },
      ],
      omitted: noOmittedAgentExtensions,
    });
  });

  it("[agent.tools-limited] says which tools of an MCP server may be used, and whether each call waits for an approval", async () => {
    const { id: userId } = await fixture.user();
    const fields = { tools: ["read_*"], approval: "always" } as const;
    await makeItem(fixture, userId, "mcp", { fields });
    const { mcpServers } = await given({ accountId: userId, userId });
    expect(mcpServers).toMatchObject([{ tools: ["read_*"], needsApproval: true }]);
  });

  it("gives what the teams pool after the own, in the order the person joined them, once", async () => {
    const world = await openWorld();
    const own = await makeItem(fixture, world.userId, "rules");
    const [late, early] = [await world.pooled(world.second), await world.pooled(world.first)];
    await addExtensionToTeamPool(
      fixture.fork(),
      fixture.sessionActor(world.userId),
      world.first,
      own,
    );
    await world.pooled(world.foreign);
    const { rules } = await given({ accountId: world.userId, userId: world.userId });
    expect(rules.map(({ id }) => id)).toEqual([own, early, late]);
  });

  it("gives a team key the pool of its team and nothing of its maker's own", async () => {
    const world = await openWorld();
    await makeItem(fixture, world.userId, "rules");
    await world.pooled(world.first);
    const id = await world.pooled(world.second);
    const { rules } = await given({ accountId: world.second, userId: world.userId });
    expect(rules).toMatchObject([{ id }]);
  });

  it("gives the items of a team's pool to confirmed members only, whatever their credential", async () => {
    const [{ id: owner }, { id: waiting }] = [await fixture.user(), await fixture.user()];
    const team = await insertTeam(fixture.connectionString, [
      { userId: owner, role: "owner" },
      { userId: waiting, role: "member", confirmed: false },
    ]);
    for (const kind of ["mcp", "rules", "skills"] as const) {
      const id = await makeItem(fixture, owner, kind);
      await addExtensionToTeamPool(fixture.fork(), fixture.sessionActor(owner), team, id);
    }
    const counts = async (receiver: AgentExtensionOwner) => {
      const { rules, skills, mcpServers } = await given(receiver);
      return [rules.length, skills.length, mcpServers.length];
    };
    expect(await counts({ accountId: waiting, userId: waiting })).toEqual([0, 0, 0]);
    expect(await counts({ accountId: team, userId: waiting })).toEqual([0, 0, 0]);
    expect(await counts({ accountId: team, userId: owner })).toEqual([1, 1, 1]);
  });

  it("gives nothing that is deleted, and nothing to who is no member", async () => {
    const world = await openWorld();
    const id = await world.pooled(world.first);
    await deleteAgentExtension(fixture.fork(), fixture.sessionActor(world.ownerId), id);
    await world.pooled(world.second);
    const { id: stranger } = await fixture.user();
    const nothing = { rules: [], skills: [], mcpServers: [], omitted: noOmittedAgentExtensions };
    expect(await given({ accountId: world.first, userId: world.userId })).toEqual(nothing);
    expect(await given({ accountId: world.second, userId: stranger })).toEqual(nothing);
  });
});

describe("an agent call", () => {
  it("loads the text of a skill only when that skill is read", async () => {
    const { id: userId } = await fixture.user();
    const owner = { accountId: userId, userId };
    const id = await makeItem(fixture, userId, "skills");
    await makeItem(fixture, userId, "rules");
    const held: number[] = [];
    const hold = (bytes: number) => (held.push(bytes), () => undefined);
    fixture.statements = [];
    await agentItems().readForTurn(owner, hold);
    const loads = fixture.statements.filter((sql) => !sql.includes("octet_length"));
    expect(loads.filter((sql) => sql.includes('i."text"'))).toHaveLength(1);
    fixture.statements = [];
    expect(await agentItems().listSkillNames(owner)).toEqual([{ id, name: "skill" }]);
    const names = fixture.statements.filter((sql) => !sql.includes("octet_length"));
    expect(names.join()).not.toMatch(/"(?:text|headers|description)"/);
    expect(await agentItems().findSkillText(owner, id, hold)).toBe("Do it.");
    expect(await agentItems().findSkillText(owner, "item_other", hold)).toBeUndefined();
    // Rules, skills without their texts, and a text.
    expect(held).toEqual([9, 15, 6]);
  });

  it("loads names only where labels are needed, and nothing where tools are looked for", async () => {
    const { id: userId } = await fixture.user();
    const owner = { accountId: userId, userId };
    expect(await agentItems().hasMcpServers(owner)).toBe(false);
    const id = await makeItem(fixture, userId, "mcp", { fields: { name: "Files" } });
    fixture.statements = [];
    expect(await agentItems().hasMcpServers(owner)).toBe(true);
    expect(await agentItems().listMcpServerNames(owner)).toEqual([{ id, name: "Files" }]);
    expect(fixture.statements.join()).not.toMatch(/"(?:text|headers|url|description)"/);
    expect(await agentItems().findMcpServer(owner, id)).toMatchObject({ id, name: "Files" });
    const { id: stranger } = await fixture.user();
    const other = { accountId: stranger, userId: stranger };
    expect(await agentItems().findMcpServer(other, id)).toBeUndefined();
  });

  it("takes rules and skills of 1 MiB each, and 32 servers, and says how many more there are", async () => {
    const { id: userId } = await fixture.user();
    const owner = { accountId: userId, userId };
    const text = "🙂".repeat(100_000);
    const description = "🙂".repeat(2000);
    for (let at = 0; at < 3; at++) await makeItem(fixture, userId, "rules", { fields: { text } });
    for (let at = 0; at < 135; at++)
      await makeItem(fixture, userId, "skills", { fields: { description } });
    for (let at = 0; at < 33; at++) await makeItem(fixture, userId, "mcp");
    const { rules, skills, mcpServers, omitted } = await given(owner);
    expect([rules.length, skills.length, mcpServers.length]).toEqual([2, 130, 32]);
    expect(omitted).toEqual({ rules: 1, skills: 5, mcpServers: 1 });
    expect(await agentItems().listSkillNames(owner)).toHaveLength(130);
  });

  it("counts items before it loads them", async () => {
    const { id: userId } = await fixture.user();
    await makeItem(fixture, userId, "rules");
    fixture.statements = [];
    const full = () => {
      throw new ApiError("rate_limited", "No room is left.");
    };
    const load = agentItems().readForTurn({ accountId: userId, userId }, full);
    await expect(load).rejects.toThrow("No room is left.");
    expect(fixture.statements.filter((sql) => !sql.includes("octet_length"))).toEqual([]);
  });
});

describe("headers at rest", () => {
  it("[identity.mcp-sealed] move to another master key, and open at their own row only", async () => {
    const { id: userId } = await fixture.user();
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const box = new SecretBox([oldKey]);
    await fixture.fork().nativeUpdate(AgentExtensionEntity, {}, { headers: null });
    const id = await makeItem(fixture, userId, "mcp", { box });
    const columns = allSealedColumns.filter(({ table }) => table === "items");
    const counts = await rewrapSealedColumns(
      fixture.fork(),
      new SecretBox([newKey, oldKey]),
      columns,
    );
    expect(counts).toMatchObject([{ table: "items", column: "headers", seen: 1, moved: 1 }]);
    const secrets = new AgentExtensionHeaderSealer(new SecretBox([newKey]));
    const row = await fixture.fork().findOneOrFail(AgentExtensionEntity, { id });
    expect(secrets.open(row)).toEqual({ Authorization: "Bearer s3cret" });
    expect(() => secrets.open({ id: "item_other", headers: row.headers })).toThrow("sealed value");
  });
});

/** A person in two teams of the same owner, joined one after the other, and a team it is not in. */
async function openWorld() {
  const [{ id: ownerId }, { id: userId }] = [await fixture.user(), await fixture.user()];
  const owner = { userId: ownerId, role: "owner" } as const;
  const member = (day: number) =>
    ({ userId, role: "member", joinedAt: new Date(Date.UTC(2026, 0, day)) }) as const;
  const { connectionString } = fixture;
  const second = await insertTeam(connectionString, [owner, member(2)]);
  const first = await insertTeam(connectionString, [owner, member(1)]);
  const foreign = await insertTeam(connectionString, [owner]);
  const pooled = async (team: string) => {
    const id = await makeItem(fixture, ownerId, "rules");
    await addExtensionToTeamPool(fixture.fork(), fixture.sessionActor(ownerId), team, id);
    return id;
  };
  return { ownerId, userId, first, second, foreign, pooled };
}

function given(receiver: AgentExtensionOwner) {
  return agentItems().readForTurn(receiver, noopMemoryReserver);
}

function agentItems(): DatabaseAgentExtensionReader {
  return new DatabaseAgentExtensionReader(
    fixture.fork,
    new AgentExtensionHeaderSealer(fixture.box),
  );
}
