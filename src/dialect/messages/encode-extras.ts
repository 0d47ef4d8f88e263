import { recordToMap } from "../../platform/lookup-table.ts";
import { asArrayOrEmpty } from "../json.ts";
import type { UnmappedRequestField } from "../neutral-request.ts";
import { messagesPassThroughFieldNames, type MessagesWireObject } from "./wire.ts";
import { isWebSearchSupported } from "./web-search.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

type Disposition = "drop" | "ignore" | "refuse";
type Verdict = Disposition | ((value: unknown) => Disposition);

/**
 * Fields of the other dialects that have no neutral name. `drop`: advice, the
 * caller is told. `ignore`: nothing is lost. `refuse`: the answer would be another.
 */
const verdicts = recordToMap<Verdict>({
  logit_bias: "drop",
  prediction: "drop",
  moderation: "drop",
  access_programs: "drop",
  prompt_cache_key: "drop",
  prompt_cache_options: "drop",
  prompt_cache_retention: "drop",
  "stream_options.include_obfuscation": (value) => (value === false ? "ignore" : "drop"),
  max_tool_calls: "drop",
  truncation: (value) => (value === "disabled" ? "ignore" : "drop"),
  store: "drop",
  include: "drop",
  image: "drop",
  user: "drop",
  max_tokens: "drop",
  "reasoning.context": "drop",
  "reasoning.mode": "drop",
  n: (value) => (value === 1 ? "ignore" : "refuse"),
  modalities: (value) => (asArrayOrEmpty(value).includes("audio") ? "refuse" : "ignore"),
  audio: "refuse",
  web_search_options: "refuse",
  background: (value) => (value === false ? "ignore" : "refuse"),
});

/** The extras that go along; all others are dropped with a warning, or refused. */
export function encodeMessagesExtras(writing: MessagesRequestEncodingContext): MessagesWireObject {
  const { request: turn } = writing;
  if (turn.origin === "dialect_messages") return nativeFields(turn.extras);
  for (const extra of turn.extras) decideDisposition(writing, extra);
  return {};
}

function nativeFields(extras: readonly UnmappedRequestField[]): MessagesWireObject {
  const own = extras.filter(({ outer }) => outer === undefined);
  return Object.fromEntries(own.map(({ member, value }) => [member, value]));
}

function decideDisposition(
  writing: MessagesRequestEncodingContext,
  { name, path, value }: UnmappedRequestField,
): void {
  const { warnings: ledger } = writing;
  if (name === "web_search_options" && isWebSearchSupported(writing)) return;
  const verdict = verdicts.get(name);
  if (verdict === undefined)
    return ledger.drop(path, messagesPassThroughFieldNames.has(name) ? "foreign" : "unknown");
  const fate = typeof verdict === "function" ? verdict(value) : verdict;
  if (fate === "drop") ledger.drop(path, "unsupported");
  if (fate === "refuse") ledger.reject(path, `This upstream cannot do what \`${path}\` asks for.`);
}
