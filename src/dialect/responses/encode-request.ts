import { collectToolCallIds } from "../tool-call-ids.ts";
import type { EncodedRequest, TargetEncodingContext } from "../codec.ts";
import { isWithinStopSequenceLimits, stopSequenceScannerLimits } from "../stop-scanner.ts";
import { shortenEndUserId } from "../end-user.ts";
import { asObject, withoutUndefined } from "../json.ts";
import { dropOptionalHostedTools } from "../hosted-tools.ts";
import { buildToolNames, collectOriginalTools } from "../tool-names.ts";
import type { NeutralRequest } from "../neutral-request.ts";
import {
  encodeResponsesMaxOutputTokens,
  encodeResponsesIncludes,
  encodeResponsesReasoningControl,
  encodeResponsesSampling,
  encodeResponsesTextControls,
  encodeResponsesServiceTier,
} from "./encode-controls.ts";
import { encodeResponsesExtras } from "./encode-extras.ts";
import { encodeResponsesSearchOptionsAsTools } from "./web-search.ts";
import { encodeResponsesInput } from "./encode-input.ts";
import { encodeResponsesToolChoice } from "./encode-tool-choice.ts";
import { encodeResponsesTools, isHostedToolSupported } from "./encode-tools.ts";
import type { ResponsesWireObject } from "./wire.ts";
import type { ResponsesRequestEncodingContext } from "./encoding-context.ts";

/**
 * The body for a responses upstream; the order of its members is always the same.
 * The upstream keeps nothing of a caller of another dialect unless that caller
 * said so.
 */
export function encodeResponsesRequest(
  asked: NeutralRequest,
  target: TargetEncodingContext,
): EncodedRequest {
  const turn = dropOptionalHostedTools(asked, target.warnings, isHostedToolSupported);
  const names = buildToolNames(turn);
  const writing: ResponsesRequestEncodingContext = { ...target, request: turn, names };
  const body = encodeBody(writing);
  const tools = collectOriginalTools(turn, names, false);
  const stop = stopsToKeep(writing);
  return {
    body,
    headers: [],
    restoreInfo: { tools, jsonTool: undefined, callIds: collectToolCallIds(turn), stop },
  };
}

/** This dialect has no stop sequences: whoever reads the answer ends it before them. */
function stopsToKeep({
  request: turn,
  warnings: ledger,
}: ResponsesRequestEncodingContext): readonly string[] {
  const { stop } = turn;
  if (stop === undefined) return [];
  if (isWithinStopSequenceLimits(stop.value))
    return stop.value.filter((sequence) => sequence !== "");
  const message = `This upstream knows no stop sequences, and at most ${stopSequenceScannerLimits.sequences} of together ${stopSequenceScannerLimits.units} characters are looked for in its response; send fewer or shorter ones.`;
  return ledger.reject(stop.path, message);
}

function encodeBody(writing: ResponsesRequestEncodingContext): ResponsesWireObject {
  const { request: turn } = writing;
  const { reasoning, text, ...extras } = encodeResponsesExtras(writing);
  const tools = [...encodeResponsesTools(writing), ...encodeResponsesSearchOptionsAsTools(writing)];
  const include = encodeResponsesIncludes(writing);
  return withoutUndefined({
    model: writing.model,
    ...encodeResponsesInput(writing),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: encodeResponsesToolChoice(writing),
    parallel_tool_calls: tools.length === 0 ? undefined : turn.parallelToolCalls,
    max_output_tokens: encodeResponsesMaxOutputTokens(writing),
    ...encodeResponsesSampling(writing),
    top_logprobs: turn.logprobs?.value.top,
    text: merge(encodeResponsesTextControls(writing), text),
    reasoning: merge(encodeResponsesReasoningControl(writing), reasoning),
    include: include.length === 0 ? undefined : include,
    service_tier: encodeResponsesServiceTier(writing),
    metadata: turn.metadata?.value,
    ...encodeUser(writing),
    store: turn.origin === "dialect_responses" ? turn.echo?.["store"] : false,
    ...extras,
    stream: turn.isStream ? true : undefined,
  });
}

function merge(
  own: ResponsesWireObject | undefined,
  extra: unknown,
): ResponsesWireObject | undefined {
  return own === undefined && extra === undefined ? undefined : { ...own, ...asObject(extra) };
}

function encodeUser({
  request: turn,
  capabilities,
  warnings: ledger,
}: ResponsesRequestEncodingContext): ResponsesWireObject {
  const { user } = turn;
  if (user === undefined) return {};
  const isNewer =
    user.path === "safety_identifier" || (capabilities.firstParty && user.path !== "user");
  const id = turn.origin === "dialect_responses" ? user.value : shortenEndUserId(user, ledger);
  return { [isNewer ? "safety_identifier" : "user"]: id };
}
