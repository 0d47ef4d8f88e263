import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import type { CustomEndpoint } from "./upstream.entity.ts";

/**
 * What the audit log says of an endpoint. Of the secrets it says only which
 * version of them is stored, so that a change shows.
 */
export function buildUpstreamAuditDetails(row: CustomEndpoint): AuditDetails {
  return {
    label: row.label,
    base_url: row.baseUrl,
    dialect: row.dialect,
    models: row.models,
    model_names: row.modelNames,
    dial_revision: row.dialRevision,
  };
}
