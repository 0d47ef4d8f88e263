import { asObject, asString } from "../../dialect/json.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import type { ModelCall } from "../call/model-call.ts";
import { parseSmallJsonMembers } from "../call/read-call-body.ts";

/** Where a caller of each dialect says which conversation or user a call belongs to. */
const memberOfDialect: Readonly<Record<DialectId, "prompt_cache_key" | "metadata">> = {
  dialect_chat: "prompt_cache_key",
  dialect_responses: "prompt_cache_key",
  dialect_messages: "metadata",
};

/**
 * What calls of one session have in common: `x-svc-session`, else `prompt_cache_key` (chat,
 * responses) or `metadata.user_id` (messages); undefined: nothing, or a member of more than
 * 64 KiB. Throws 400 for one that is given twice.
 */
export function readRoutingSessionKey(
  { controls, surface }: ModelCall,
  bytes: Buffer,
): string | undefined {
  if (controls.session !== undefined) return `session ${controls.session}`;
  const name = memberOfDialect[surface.dialect];
  const value = parseSmallJsonMembers(bytes, [name])[name];
  const said = name === "metadata" ? asObject(value)?.["user_id"] : value;
  const text = asString(said);
  return text === undefined ? undefined : `${name} ${text}`;
}
