/** How many items a person and a pool may have, and how large these may be together. */
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/platform/errors.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { AgentExtensionHeaderSealer } from "../../../src/team/item/item-secrets.ts";
import { agentExtensionMembershipHooks } from "../../../src/team/item/member-items.ts";
import { addExtensionToTeamPool } from "../../../src/team/item/team-items.ts";
import { updateAgentExtension } from "../../../src/team/item/update-item.ts";
import type { AgentExtensionFields } from "../../../src/team/item/item-fields.ts";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { insertTeam } from "../../support/team-rows.ts";
import { makeItem, undialledServers } from "./item-fixture.ts";

const fixture = useAccountFixture();

/** 400 000 bytes in 100 000 characters. */
const longText = "🙂".repeat(100_000);
/** As many of them as fit into 16 MiB. */
const longTexts = 41;

describe("a person's items", () => {
  it("are 500 at most", async () => {
    const { id } = await fixture.user();
    await insertItems(id, 499, "t");
    await makeItem(fixture, id, "rules");
    const error = await errorOf(makeItem(fixture, id, "mcp"));
    expect(error).toMatchObject({ code: "invalid_request", param: "kind" });
    expect(error.message).toMatch(/at most 500 items\. Delete one/);
  });

  it("have 16 MiB together at most", async () => {
    const { id } = await fixture.user();
    await insertItems(id, longTexts, longText);
    const last = await makeItem(fixture, id, "rules");
    const error = await errorOf(makeItem(fixture, id, "rules", { fields: { text: longText } }));
    expect(error).toMatchObject({ code: "invalid_request", param: "text" });
    expect(error.message).toMatch(/at most 16 MiB together\. Shorten/);
    const grown = await errorOf(update(id, last, { name: "n", text: longText }));
    expect(grown).toMatchObject({ code: "invalid_request", param: "text" });
  });

  it("do not exceed their limits when they are created at the same time", async () => {
    const { id } = await fixture.user();
    await insertItems(id, 498, "t");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => makeItem(fixture, id, "rules")),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });

  it("beyond the limits can still be changed and shortened", async () => {
    const { id } = await fixture.user();
    const item = await makeItem(fixture, id, "rules", { fields: { text: longText } });
    await insertItems(id, 600, "t".repeat(40_000));
    await update(id, item, { text: "Be brief." });
    expect(await errorOf(update(id, item, { text: "Be very brief." }))).toMatchObject({
      param: "text",
    });
  });
});

describe("the pool of a team", () => {
  it("has 500 items at most, and takes items of a person who joins as far as they fit", async () => {
    const [{ id: owner }, { id: other }] = [await fixture.user(), await fixture.user()];
    const team = await insertTeam(fixture.connectionString, seats(owner, other));
    await insertItems(owner, 499, "t");
    await fillPool(team, owner);
    const items = [
      await makeItem(fixture, other, "rules"),
      await makeItem(fixture, other, "rules"),
    ];
    await fixture
      .fork()
      .transactional((em) =>
        agentExtensionMembershipHooks.onJoin(
          em,
          fixture.sessionActor(other),
          { teamId: team, userId: other },
          ["rules"],
        ),
      );
    const error = await errorOf(pool(other, team, items[1] ?? ""));
    expect(error).toMatchObject({ code: "invalid_request", param: "item_id" });
    expect(error.message).toMatch(/at most 500 items\. Take one out/);
    // The first found room when its owner joined.
    await pool(other, team, items[0] ?? "");
  });

  it("has 16 MiB at most, also where an item of it grows", async () => {
    const [{ id: owner }, { id: other }] = [await fixture.user(), await fixture.user()];
    const team = await insertTeam(fixture.connectionString, seats(owner, other));
    await insertItems(owner, longTexts, longText);
    await fillPool(team, owner);
    const [small, large] = [
      await makeItem(fixture, other, "rules"),
      await makeItem(fixture, other, "rules", { fields: { text: longText } }),
    ];
    await pool(other, team, small);
    expect(await errorOf(pool(other, team, large))).toMatchObject({ param: "item_id" });
    const grown = await errorOf(update(other, small, { text: longText }));
    expect(grown).toMatchObject({ code: "invalid_request", param: "text" });
    expect(grown.message).toContain("a pool, which this item is in,");
  });
});

function seats(owner: string, other: string) {
  return [
    { userId: owner, role: "owner" },
    { userId: other, role: "member" },
  ] as const;
}

/** Items of a person as they are stored. */
async function insertItems(accountId: string, count: number, text: string): Promise<void> {
  await fixture.fork().execute(
    `insert into items (id, account_id, kind, text, tools, content_revision, created_at, updated_at)
     select ? || '_' || n, ?, 'rules', ?, '{}', 0, now(), now() from generate_series(1, ?) n`,
    [accountId, accountId, text, count],
  );
}

async function fillPool(teamId: string, ownerId: string): Promise<void> {
  await fixture.fork().execute(
    `insert into pooled_items (account_id, item_id, owner_id, pooled_at)
     select ?, id, account_id, now() from items where account_id = ?`,
    [teamId, ownerId],
  );
}

function pool(userId: string, teamId: string, itemId: string) {
  return addExtensionToTeamPool(fixture.fork(), fixture.sessionActor(userId), teamId, itemId);
}

function update(userId: string, itemId: string, changes: AgentExtensionFields) {
  return updateAgentExtension(fixture.fork(), fixture.sessionActor(userId), itemId, changes, {
    dialer: undialledServers,
    secrets: new AgentExtensionHeaderSealer(fixture.box),
    clock: systemClock,
  });
}

async function errorOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error("it was not refused");
}
