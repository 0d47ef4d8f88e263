import { isDeepStrictEqual } from "node:util";
import type { EntityManager } from "@mikro-orm/postgresql";
import { diffAuditEventDetails } from "../../domain/audit/audit-details.ts";
import { recordAudit, type AuditActor } from "../../domain/audit/audit.ts";
import {
  restoreRedactedHeaders,
  redactedHeaderValue,
  type ExtraHeaders,
} from "../../platform/endpoint/header-rules.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { assertAgentExtensionFieldValues, type AgentExtensionDependencies } from "./create-item.ts";
import { areServerUrlsOfSameOrigin } from "./is-same-server.ts";
import { buildAgentExtensionAuditDetails } from "./item-details.ts";
import {
  assertRoomForAgentExtensionGrowth,
  lockAgentExtensionCreation,
  measureAgentExtensionFields,
} from "./item-limits.ts";
import { assertFieldsAllowedForKind, type AgentExtensionFields } from "./item-fields.ts";
import { requireAgentExtensionOwnerId } from "./item-owner.ts";
import type { AgentExtensionHeaderSealer } from "./item-secrets.ts";
import type { AgentExtension } from "./item.entity.ts";
import { lockAgentExtension } from "./items.ts";
import { recordPooledExtensionAuditEvents } from "./pool.ts";

/**
 * Changes the fields that were sent, in every pool at once. Nothing to change is
 * no change. Throws 404 `not_found`, 403 for a team key, and 400 like
 * `createAgentExtension`, where the item grows beyond the limits, or when stored headers would go to another server than they were
 * given for.
 */
export async function updateAgentExtension(
  em: EntityManager,
  actor: AuditActor,
  id: string,
  changes: AgentExtensionFields,
  dependencies: AgentExtensionDependencies,
): Promise<AgentExtension> {
  const accountId = requireAgentExtensionOwnerId(actor.principal);
  await assertAgentExtensionFieldValues(changes, dependencies);
  return em.transactional(async (tx) => {
    await lockAgentExtensionCreation(tx, accountId);
    const row = await lockAgentExtension(tx, actor, id);
    assertFieldsAllowedForKind(row.kind, changes);
    assertHeadersStay(row, changes);
    const before = buildAgentExtensionAuditDetails(row);
    const sizes = measureAgentExtensionFields(row);
    applyContent(row, changes, dependencies.secrets);
    await assertRoomForAgentExtensionGrowth(tx, row, sizes);
    const details = diffAuditEventDetails(before, buildAgentExtensionAuditDetails(row));
    if (details === undefined) return row;
    row.updatedAt = actor.at;
    const event = { type: "item.updated", target: id, ...details };
    recordAudit(tx, actor, { accountId: row.accountId, ...event });
    await recordPooledExtensionAuditEvents(tx, actor, row, event);
    return row;
  });
}

/**
 * Headers hold secrets that nobody can read back. If they followed a changed
 * address, whoever may change it could have them sent to a server of its own.
 */
function assertHeadersStay(row: AgentExtension, { url, headers }: AgentExtensionFields): void {
  const isMoved = url !== undefined && row.url !== null && !areServerUrlsOfSameOrigin(url, row.url);
  if (!isMoved || row.headers === null) return;
  if (headers !== undefined && !Object.values(headers).includes(redactedHeaderValue)) return;
  throw invalidRequestError(
    "headers",
    "`url` names another server, which does not get the stored headers: send `headers` as well, with their values.",
  );
}

function applyContent(
  row: AgentExtension,
  changes: AgentExtensionFields,
  secrets: AgentExtensionHeaderSealer,
): void {
  const { name, url, description, text, headers, tools, approval } = changes;
  if (name !== undefined) row.name = name;
  if (url !== undefined) row.url = url;
  if (description !== undefined) row.description = description;
  if (tools !== undefined) row.tools = [...tools];
  if (approval !== undefined) row.approval = approval;
  const isOtherText = applyText(row, text);
  if (applyHeaders(row, headers, secrets) || isOtherText) row.contentRevision += 1;
}

function applyText(row: AgentExtension, text: string | undefined): boolean {
  if (text === undefined || text === row.text) return false;
  row.text = text;
  return true;
}

function applyHeaders(
  row: AgentExtension,
  headers: ExtraHeaders | undefined,
  secrets: AgentExtensionHeaderSealer,
): boolean {
  if (headers === undefined) return false;
  const stored = secrets.open(row);
  const wanted = restoreRedactedHeaders(headers, stored, "headers");
  if (isDeepStrictEqual(wanted, stored)) return false;
  row.headers = secrets.seal(row.id, wanted);
  return true;
}
