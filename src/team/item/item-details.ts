import type { AuditDetails } from "../../domain/audit/audit-event.entity.ts";
import type { AgentExtension } from "./item.entity.ts";

/**
 * What the audit log says of an item. Of the headers, which are secret, and of
 * the text, which is long, it says only which version is stored, so that a
 * change shows.
 */
export function buildAgentExtensionAuditDetails(row: AgentExtension): AuditDetails {
  const { kind, name, url, description, approval, contentRevision } = row;
  const tools = row.tools.length === 0 ? null : row.tools;
  const all = { name, url, description, tools, approval };
  const optional = Object.entries(all).filter(([, value]) => value !== null);
  return { kind, ...Object.fromEntries(optional), content_revision: contentRevision };
}

/** What the log of a team says of an item in its pool. */
export function buildPooledAgentExtensionAuditDetails(row: AgentExtension): AuditDetails {
  return { user_id: row.accountId, ...buildAgentExtensionAuditDetails(row) };
}
