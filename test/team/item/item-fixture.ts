import type { Actor } from "../../../src/domain/audit/audit.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { createItem } from "../../../src/team/item/create-item.ts";
import type { ItemFields } from "../../../src/team/item/item-fields.ts";
import { ItemSecrets } from "../../../src/team/item/item-secrets.ts";
import type { ItemKind } from "../../../src/team/pooled-items.ts";
import type { AccountFixture } from "../../account/account-fixture.ts";

/** A dialer that lets everything out: these tests dial nothing. */
export const undialledServers = {
  parseAddress: (raw: string) => new URL(raw),
  assertAllowed: () => Promise.resolve(),
};

const defaultFields: Readonly<Record<ItemKind, ItemFields>> = {
  mcp: { url: "https://mcp.example/", headers: { Authorization: "Bearer s3cret" } },
  rules: { text: "Be brief." },
  skills: { name: "skill", description: "When asked", text: "Do it." },
};

/** Makes an item of a person and gives its id. */
export async function makeItem(
  fixture: AccountFixture,
  userId: string,
  kind: ItemKind,
  { fields = {}, box = fixture.box }: { fields?: ItemFields; box?: SecretBox } = {},
): Promise<string> {
  const ports = { dialer: undialledServers, secrets: new ItemSecrets(box), clock: systemClock };
  const input = { kind, fields: { ...defaultFields[kind], ...fields } };
  // Items made one after the other are in this order in every list.
  fixture.clock.advance(1);
  const actor: Actor = fixture.sessionActor(userId);
  return (await createItem(fixture.fork(), actor, input, ports)).id;
}
