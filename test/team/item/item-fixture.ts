import type { AuditActor } from "../../../src/domain/audit/audit.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { createAgentExtension } from "../../../src/team/item/create-item.ts";
import type { AgentExtensionFields } from "../../../src/team/item/item-fields.ts";
import { AgentExtensionHeaderSealer } from "../../../src/team/item/item-secrets.ts";
import type { AgentExtensionKind } from "../../../src/team/pooled-items.ts";
import type { AccountFixture } from "../../account/account-fixture.ts";

/** A dialer that lets everything out: these tests dial nothing. */
export const undialledServers = {
  parseAddress: (raw: string) => new URL(raw),
  assertAllowed: () => Promise.resolve(),
};

const defaultFields: Readonly<Record<AgentExtensionKind, AgentExtensionFields>> = {
  mcp: { url: "https://mcp.example/", headers: { Authorization: "Bearer s3cret" } },
  rules: { text: "Be brief." },
  skills: { name: "skill", description: "When asked", text: "Do it." },
};

/** Makes an item of a person and gives its id. */
export async function makeItem(
  fixture: AccountFixture,
  userId: string,
  kind: AgentExtensionKind,
  { fields = {}, box = fixture.box }: { fields?: AgentExtensionFields; box?: SecretBox } = {},
): Promise<string> {
  const ports = {
    dialer: undialledServers,
    secrets: new AgentExtensionHeaderSealer(box),
    clock: systemClock,
  };
  const input = { kind, fields: { ...defaultFields[kind], ...fields } };
  // Items made one after the other are in this order in every list.
  fixture.clock.advance(1);
  const actor: AuditActor = fixture.sessionActor(userId);
  return (await createAgentExtension(fixture.fork(), actor, input, ports)).id;
}
