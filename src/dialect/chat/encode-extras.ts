import { recordToMap } from "../../platform/lookup-table.ts";
import { isEmptyArrayOrObject } from "../json.ts";
import { RequestExtraFieldsBuilder } from "../nested-members.ts";
import type { UnmappedRequestField } from "../neutral-request.ts";
import type { ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/**
 * What becomes of a field that only some dialects know. `refuse`: without it the
 * answer would be another one. `ours`: this server does it itself. `cache`:
 * first-party servers have it, too. `drop`: advice.
 */
type Disposition = "refuse" | "ours" | "cache" | "drop";

/** By the dotted name of the caller's dialect; what is not here is not known to this code. */
const fates = recordToMap<Disposition>({
  // messages
  mcp_servers: "refuse",
  cache_control: "drop",
  diagnostics: "drop",
  fallbacks: "drop",
  inference_geo: "drop",
  speed: "drop",
  "output_config.task_budget": "drop",
  // responses
  background: "refuse",
  store: "ours",
  access_programs: "drop",
  image: "drop",
  include: "drop",
  max_tool_calls: "drop",
  moderation: "drop",
  truncation: "drop",
  top_logprobs: "drop",
  user: "drop",
  "reasoning.context": "drop",
  "reasoning.mode": "drop",
  "stream_options.include_obfuscation": "drop",
  prompt_cache_key: "cache",
  prompt_cache_options: "cache",
  prompt_cache_retention: "cache",
});

/** The members to write. Chat's own are written as they were sent. */
export function encodeChatExtras(writing: ChatRequestEncodingContext): ChatWireObject {
  const written = new RequestExtraFieldsBuilder();
  for (const extra of writing.request.extras) {
    if (isWritten(extra, writing)) written.set(extra);
  }
  return written.members;
}

function isWritten(
  extra: UnmappedRequestField,
  { request: turn, capabilities, warnings: ledger }: ChatRequestEncodingContext,
): boolean {
  if (turn.origin === "dialect_chat") return true;
  const fate = fates.get(extra.name);
  // `false` and what is empty ask for nothing.
  if (fate === "ours" || extra.value === false || isEmptyArrayOrObject(extra.value)) return false;
  if (fate === "cache" && capabilities.firstParty) return true;
  if (fate === "refuse") ledger.reject(extra.path, `This upstream cannot do \`${extra.name}\`.`);
  ledger.drop(extra.path, fate === undefined ? "unknown" : "unsupported");
  return false;
}
