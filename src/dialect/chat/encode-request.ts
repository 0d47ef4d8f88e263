import { collectToolCallIds } from "../tool-call-ids.ts";
import type { EncodedRequest, TargetEncodingContext } from "../codec.ts";
import { asObject, withoutUndefined } from "../json.ts";
import { dropOptionalHostedTools } from "../hosted-tools.ts";
import { buildToolNames, collectOriginalTools } from "../tool-names.ts";
import type { NeutralRequest } from "../neutral-request.ts";
import { selectChatCacheBreakpoints } from "./encode-breakpoints.ts";
import { encodeChatExtras } from "./encode-extras.ts";
import { encodeChatMessages } from "./encode-messages.ts";
import { encodeChatParameters } from "./encode-parameters.ts";
import { encodeChatToolChoice } from "./encode-tool-choice.ts";
import { encodeChatTools, isHostedToolSupported } from "./encode-tools.ts";
import type { ChatWireObject } from "./wire.ts";
import { encodeChatWebSearch, findChatWebSearchTool } from "./web-search.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/** The body for a chat upstream; the order of its members is always the same. */
export function encodeChatRequest(
  asked: NeutralRequest,
  target: TargetEncodingContext,
): EncodedRequest {
  const turn = dropOptionalHostedTools(asked, target.warnings, (tool) =>
    isHostedToolSupported(tool, target),
  );
  const names = buildToolNames(turn);
  const writing: ChatRequestEncodingContext = {
    ...target,
    request: turn,
    names,
    breakpoints: selectChatCacheBreakpoints(turn, target),
  };
  const { choice, tools: chosen } = encodeChatToolChoice(writing);
  const search = findChatWebSearchTool(turn, writing);
  const tools = chosen.filter((tool) => tool !== search);
  const { stream_options: options, ...extras } = encodeChatExtras(writing);
  const conversation = {
    model: target.model,
    messages: encodeChatMessages(writing),
    tools: encodeChatTools(tools, writing),
    tool_choice: choice,
    parallel_tool_calls: tools.length === 0 ? undefined : encodeParallel(turn),
  };
  const body = withoutUndefined(
    conversation,
    encodeChatParameters(writing),
    encodeChatWebSearch(search?.webSearch, writing),
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
  { request: turn, capabilities }: ChatRequestEncodingContext,
  options: unknown,
): ChatWireObject {
  if (!turn.isStream) return {};
  const asked = {
    ...(capabilities.streamUsage ? { include_usage: true } : {}),
    ...asObject(options),
  };
  return { stream: true, stream_options: Object.keys(asked).length === 0 ? undefined : asked };
}
