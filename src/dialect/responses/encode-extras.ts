import { recordToMap } from "../../platform/lookup-table.ts";
import { asArrayOrEmpty, isEmptyArrayOrObject } from "../json.ts";
import { RequestExtraFieldsBuilder } from "../nested-members.ts";
import type { UnmappedRequestField } from "../neutral-request.ts";
import type { ResponsesWireObject } from "./wire.ts";
import type { ResponsesRequestEncodingContext } from "./encoding-context.ts";

/**
 * What becomes of a field that only some dialects know. `copy`: chat and
 * responses have it by the same name; `refuse`: without it the answer would be
 * another one; `ignore`: nothing is lost; `drop`: advice.
 */
type Disposition = "copy" | "refuse" | "ignore" | "drop";

/** By the dotted name of the caller's dialect; what is not here is not known to this code. */
const fates = recordToMap<Disposition | ((value: unknown) => Disposition)>({
  // chat
  moderation: "copy",
  prompt_cache_key: "copy",
  prompt_cache_options: "copy",
  prompt_cache_retention: "copy",
  store: "copy",
  user: "copy",
  "stream_options.include_obfuscation": "copy",
  web_search_options: "ignore",
  max_tokens: "drop",
  logit_bias: "drop",
  prediction: "drop",
  n: (value) => (value === 1 ? "ignore" : "refuse"),
  modalities: (value) =>
    asArrayOrEmpty(value).some((entry) => entry !== "text") ? "refuse" : "ignore",
  audio: "refuse",
  // messages
  mcp_servers: (value) => (isEmptyArrayOrObject(value) ? "ignore" : "refuse"),
  cache_control: "drop",
  diagnostics: "drop",
  fallbacks: "drop",
  inference_geo: "drop",
  speed: "drop",
  "output_config.task_budget": "drop",
});

/** The members to write. This dialect's own are written as they were sent. */
export function encodeResponsesExtras(
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const written = new RequestExtraFieldsBuilder();
  const isOwn = writing.request.origin === "dialect_responses";
  for (const extra of writing.request.extras) {
    if (extra.name !== "include" && (isOwn || isWritten(extra, writing))) written.set(extra);
  }
  return written.members;
}

function isWritten(
  { name, path, value }: UnmappedRequestField,
  { warnings: ledger, capabilities }: ResponsesRequestEncodingContext,
): boolean {
  const verdict = name === "store" && !capabilities.canStore ? "drop" : fates.get(name);
  const fate = typeof verdict === "function" ? verdict(value) : verdict;
  if (fate === "refuse") ledger.reject(path, `This upstream cannot do what \`${path}\` asks for.`);
  if (fate === "drop" || fate === undefined) {
    ledger.drop(path, fate === undefined ? "unknown" : "unsupported");
  }
  return fate === "copy";
}
