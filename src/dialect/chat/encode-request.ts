import { collectToolCallIds } from "../tool-call-ids.ts";
import type { EncodedRequest, TargetEncodingContext } from "../codec.ts";
import { asObject, withoutUndefined } from "../json.ts";
import { dropOptionalHostedTools } from "../hosted-tools.ts";
import { buildToolNames, collectOriginalTools } from "../tool-names.ts";
import type { NeutralRequest } from "../neutral-request.ts";
import { selectChatCacheBreakpoints } from "./encode-breakpoints.ts";
import { encodeExtras } from "./encode-extras.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeParameters } from "./encode-parameters.ts";
import { encodeToolChoice } from "./encode-tool-choice.ts";
import { encodeTools, isHostedToolSupported } from "./encode-tools.ts";
import type { ChatWireObject } from "./wire.ts";
import { encodeWebSearch, findWebSearchTool } from "./web-search.ts";
import type { RequestEncodingContext } from "./encoding-context.ts";

/** The body for a chat upstream; the order of its members is always the same. */
export function encodeRequest(
  asked: NeutralRequest,
  target: TargetEncodingContext,
): EncodedRequest {
  const turn = dropOptionalHostedTools(asked, target.warnings, (tool) =>
    isHostedToolSupported(tool, target),
  );
  const names = buildToolNames(turn);
  const writing: RequestEncodingContext = {
    ...target,
    request: turn,
    names,
    breakpoints: selectChatCacheBreakpoints(turn, target),
  };
  const { choice, tools: chosen } = encodeToolChoice(writing);
  const search = findWebSearchTool(turn, writing);
  const tools = chosen.filter((tool) => tool !== search);
  const { stream_options: options, ...extras } = encodeExtras(writing);
  const conversation = {
    model: target.model,
    messages: encodeMessages(writing),
    tools: encodeTools(tools, writing),
    tool_choice: choice,
    parallel_tool_calls: tools.length === 0 ? undefined : encodeParallel(turn),
  };
  const body = withoutUndefined(
    conversation,
    encodeParameters(writing),
    encodeWebSearch(search?.webSearch, writing),
    extras,
    encodeStream(writing, options),
  );
  const isWrapped = !target.capabilities.firstParty;
  const recall = {
    tools: collectOriginalTools(turn, names, isWrapped),
    jsonTool: undefined,
    callIds: collectToolCallIds(turn),
    stop: [],
  };
  return { body, headers: [], restoreInfo: recall };
}

/** `true` is the default, and not every server knows the field. */
function encodeParallel({ origin, parallelToolCalls }: NeutralRequest): boolean | undefined {
  return origin !== "dialect_chat" && parallelToolCalls === true ? undefined : parallelToolCalls;
}

/** Usage is asked for whether or not the caller wants to see it: it is what the call costs. */
function encodeStream(
  { request: turn, capabilities }: RequestEncodingContext,
  options: unknown,
): ChatWireObject {
  if (!turn.isStream) return {};
  const asked = {
    ...(capabilities.streamUsage ? { include_usage: true } : {}),
    ...asObject(options),
  };
  return { stream: true, stream_options: Object.keys(asked).length === 0 ? undefined : asked };
}
