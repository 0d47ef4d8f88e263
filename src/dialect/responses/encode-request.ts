import { historyCallIds } from "../call-ids.ts";
import type { EncodedRequest, TargetContext } from "../codec.ts";
import { endUserId } from "../end-user.ts";
import { asObject, withoutUndefined } from "../json.ts";
import { withoutOffered } from "../offered-tools.ts";
import { nameTools, recallTools } from "../tool-names.ts";
import type { Turn } from "../turn.ts";
import {
  encodeCap,
  encodeIncludes,
  encodeReasoning,
  encodeSampling,
  encodeTextControls,
  encodeTier,
} from "./encode-controls.ts";
import { encodeExtras } from "./encode-extras.ts";
import { searchTools } from "./web-search.ts";
import { encodeInput } from "./encode-input.ts";
import { encodeToolChoice } from "./encode-tool-choice.ts";
import { encodeTools, hasTool } from "./encode-tools.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** Each is compared with every character of the answer. */
const mostStops = 64;

/**
 * The body for a responses upstream; the order of its members is always the same.
 * The upstream keeps nothing of a caller of another dialect unless that caller
 * said so.
 */
export function encodeRequest(asked: Turn, target: TargetContext): EncodedRequest {
  const turn = withoutOffered(asked, target.ledger, hasTool);
  const names = nameTools(turn);
  const writing: Writing = { ...target, turn, names };
  const body = encodeBody(writing);
  const tools = recallTools(turn, names, false);
  const stop = stopsToKeep(writing);
  return {
    body,
    headers: [],
    recall: { tools, jsonTool: undefined, callIds: historyCallIds(turn), stop },
  };
}

/** This dialect has no stop sequences: whoever reads the answer ends it before them. */
function stopsToKeep({ turn, ledger }: Writing): readonly string[] {
  const { stop } = turn;
  if (stop === undefined) return [];
  if (stop.value.length <= mostStops) return stop.value.filter((sequence) => sequence !== "");
  const message = `At most ${mostStops} stop sequences are kept for this upstream; send fewer.`;
  return ledger.refuse(stop.path, message);
}

function encodeBody(writing: Writing): WireObject {
  const { turn } = writing;
  const { reasoning, text, ...extras } = encodeExtras(writing);
  const tools = [...encodeTools(writing), ...searchTools(writing)];
  const include = encodeIncludes(writing);
  return withoutUndefined({
    model: writing.model,
    ...encodeInput(writing),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: encodeToolChoice(writing),
    parallel_tool_calls: tools.length === 0 ? undefined : turn.parallelToolCalls,
    max_output_tokens: encodeCap(writing),
    ...encodeSampling(writing),
    top_logprobs: turn.logprobs?.value.top,
    text: merge(encodeTextControls(writing), text),
    reasoning: merge(encodeReasoning(writing), reasoning),
    include: include.length === 0 ? undefined : include,
    service_tier: encodeTier(writing),
    metadata: turn.metadata?.value,
    ...encodeUser(writing),
    store: turn.origin === "dialect_responses" ? turn.echo?.["store"] : false,
    ...extras,
    stream: turn.isStream ? true : undefined,
  });
}

function merge(own: WireObject | undefined, extra: unknown): WireObject | undefined {
  return own === undefined && extra === undefined ? undefined : { ...own, ...asObject(extra) };
}

function encodeUser({ turn, capabilities, ledger }: Writing): WireObject {
  const { user } = turn;
  if (user === undefined) return {};
  const isNewer =
    user.path === "safety_identifier" || (capabilities.firstParty && user.path !== "user");
  const id = turn.origin === "dialect_responses" ? user.value : endUserId(user, ledger);
  return { [isNewer ? "safety_identifier" : "user"]: id };
}
