import type { ExtraHeaders } from "../../platform/endpoint/header-rules.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { AgentExtensionKind } from "../pooled-items.ts";
import type { ToolApprovalMode } from "./item.entity.ts";

/** The fields of an item beside its kind, as far as they were sent; lengths are checked. */
export interface AgentExtensionFields {
  readonly name?: string;
  readonly url?: string;
  readonly headers?: ExtraHeaders;
  readonly description?: string;
  readonly text?: string;
  readonly tools?: readonly string[];
  readonly approval?: ToolApprovalMode;
}

export type AgentExtensionField = keyof AgentExtensionFields;

/** A new item as the request describes it. */
export interface NewAgentExtension {
  readonly kind: AgentExtensionKind;
  readonly fields: AgentExtensionFields;
}

interface KindFields {
  readonly required: readonly AgentExtensionField[];
  readonly optional: readonly AgentExtensionField[];
}

/** What an item of each kind consists of. */
const fieldsOfKind: Readonly<Record<AgentExtensionKind, KindFields>> = {
  mcp: { required: ["url"], optional: ["name", "headers", "tools", "approval"] },
  rules: { required: ["text"], optional: ["name"] },
  skills: { required: ["name", "description", "text"], optional: [] },
};

/** Throws 400 with the field as `param` for one that the kind lacks or needs. */
export function assertNewAgentExtensionFields({ kind, fields }: NewAgentExtension): void {
  assertFieldsAllowedForKind(kind, fields);
  const missing = fieldsOfKind[kind].required.find((field) => fields[field] === undefined);
  if (missing === undefined) return;
  throw invalidRequestError(missing, `An item of kind \`${kind}\` needs \`${missing}\`.`);
}

/** Throws 400 with the field as `param` for one that items of the kind do not have. */
export function assertFieldsAllowedForKind(
  kind: AgentExtensionKind,
  fields: AgentExtensionFields,
): void {
  const { required, optional } = fieldsOfKind[kind];
  const allowed = new Set<string>([...required, ...optional]);
  const foreign = Object.keys(fields).find((field) => !allowed.has(field));
  if (foreign === undefined) return;
  throw invalidRequestError(foreign, `An item of kind \`${kind}\` has no \`${foreign}\`.`);
}
