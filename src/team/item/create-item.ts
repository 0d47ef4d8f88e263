import type { EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../../domain/audit/audit.ts";
import type { Clock } from "../../platform/clock.ts";
import { rejectUndialableRequestUrl } from "../../platform/dial/check-address.ts";
import type { Dialer } from "../../platform/dial/dialer.ts";
import {
  credentialHeaderNames,
  assertExtraHeaders,
  restoreRedactedHeaders,
} from "../../platform/endpoint/header-rules.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { newResourceId } from "../../platform/ids.ts";
import { buildAgentExtensionAuditDetails } from "./item-details.ts";
import { assertRoomForNewAgentExtension, lockAgentExtensionCreation } from "./item-limits.ts";
import {
  assertNewAgentExtensionFields,
  type AgentExtensionFields,
  type NewAgentExtension,
} from "./item-fields.ts";
import { requireAgentExtensionOwnerId } from "./item-owner.ts";
import type { AgentExtensionHeaderSealer } from "./item-secrets.ts";
import { AgentExtensionEntity, type AgentExtension } from "./item.entity.ts";

/** What operations on items work with. */
export interface AgentExtensionDependencies {
  readonly dialer: Pick<Dialer, "parseAddress" | "assertAllowed">;
  readonly secrets: AgentExtensionHeaderSealer;
  readonly clock: Clock;
}

/**
 * Makes an item of the caller's own. Throws 403 for a team key, and 400 for a
 * field that its kind lacks or needs, an address that policy refuses (`url`),
 * headers that the server sets itself (`headers.<name>`), and items beyond the limits.
 */
export async function createAgentExtension(
  em: EntityManager,
  actor: AuditActor,
  input: NewAgentExtension,
  dependencies: AgentExtensionDependencies,
): Promise<AgentExtension> {
  const accountId = requireAgentExtensionOwnerId(actor.principal);
  assertNewAgentExtensionFields(input);
  await assertAgentExtensionFieldValues(input.fields, dependencies);
  return em.transactional(async (tx) => {
    await lockAgentExtensionCreation(tx, accountId);
    const row = newRow(tx, actor, accountId, input, dependencies.secrets);
    await assertRoomForNewAgentExtension(tx, row);
    tx.persist(row);
    const after = buildAgentExtensionAuditDetails(row);
    recordAudit(tx, actor, { accountId, type: "item.created", target: row.id, after });
    return row;
  });
}

/** Each star costs time for each tool that a server lists. */
const maxStars = 200;

/** Checks what the contract's field rules do not. Looks a name up, so no transaction may be open. */
export async function assertAgentExtensionFieldValues(
  { url, headers, tools = [] }: AgentExtensionFields,
  { dialer }: Pick<AgentExtensionDependencies, "dialer">,
): Promise<void> {
  if (tools.join("").split("*").length - 1 > maxStars) {
    throw invalidRequestError("tools", `\`tools\` may have at most ${maxStars} \`*\` together.`);
  }
  if (headers !== undefined) assertExtraHeaders(headers, "headers", credentialHeaderNames);
  if (url !== undefined) await rejectUndialableRequestUrl(dialer, url, "url");
}

function newRow(
  em: EntityManager,
  actor: AuditActor,
  accountId: string,
  { kind, fields }: NewAgentExtension,
  secrets: AgentExtensionHeaderSealer,
): AgentExtension {
  const id = newResourceId("item", actor.at.getTime());
  const headers = restoreRedactedHeaders(fields.headers ?? {}, {}, "headers");
  return em.create(AgentExtensionEntity, {
    id,
    accountId,
    kind,
    name: fields.name ?? null,
    url: fields.url ?? null,
    headers: secrets.seal(id, headers),
    description: fields.description ?? null,
    text: fields.text ?? null,
    tools: [...(fields.tools ?? [])],
    approval: fields.approval ?? null,
    contentRevision: 0,
    createdAt: actor.at,
    updatedAt: actor.at,
    deletedAt: null,
  });
}
