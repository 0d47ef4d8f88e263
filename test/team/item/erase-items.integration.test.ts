import { expect, test } from "vitest";
import { emptyTeamMembershipLookup } from "../../../src/account/team-membership.ts";
import { deleteUser } from "../../../src/account/users.ts";
import { AgentExtensionEntity } from "../../../src/team/item/item.entity.ts";
import { eraseAgentExtensions } from "../../../src/team/item/items.ts";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { makeItem } from "./item-fixture.ts";

const fixture = useAccountFixture();

test("the items of a deleted person end when the person does, by the same clock", async () => {
  const { id } = await fixture.user();
  const itemId = await makeItem(fixture, id, "rules");
  const actor = fixture.actor();
  await deleteUser(fixture.fork(), actor, id, {
    teams: emptyTeamMembershipLookup,
    erase: [eraseAgentExtensions],
  });
  const { deletedAt, text } = await fixture.fork().findOneOrFail(AgentExtensionEntity, itemId);
  expect([deletedAt, text]).toEqual([actor.at, null]);
});
