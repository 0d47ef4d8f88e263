import { RequestFieldReader } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import { toValueWithPath } from "../locate.ts";
import { mergeToolLists } from "../tool-names.ts";
import type { SamplingParameters, NeutralRequest } from "../neutral-request.ts";
import { applyConfigurationUpdateItems } from "./configured-body.ts";
import {
  decodeResponsesOutputFormat,
  decodeResponsesLogprobControl,
  decodeResponsesReasoningControl,
  rejectResponsesInvalidToolCallLimit,
} from "./decode-controls.ts";
import { decodeResponsesRequestExtraFields } from "./decode-extras.ts";
import { decodeResponsesConversation } from "./decode-conversation.ts";
import { decodeResponsesToolChoice } from "./decode-tool-choice.ts";
import { decodeResponsesTools } from "./decode-tools.ts";
import { rejectResponsesVendorStateReferences } from "./vendor-state.ts";
import { readResponsesEchoedFields } from "./wire.ts";

/**
 * Reads a body of the responses dialect. What the vendor keeps for its callers is
 * served from our own kept turns (`context.kept`) or refused; `store` is the
 * gateway's to honour.
 */
export function decodeResponsesRequest(
  value: JsonObject,
  context: RequestDecodingContext,
): NeutralRequest {
  const body = new RequestFieldReader(applyConfigurationUpdateItems(value, context.stored));
  const model = body.requiredString("model");
  rejectResponsesVendorStateReferences(body);
  rejectResponsesInvalidToolCallLimit(body);
  const { addedTools: broughtTools, ...conversation } = decodeResponsesConversation(body, context);
  const tools = mergeToolLists(decodeResponsesTools(body, context.warnings), broughtTools);
  return {
    origin: "dialect_responses",
    model,
    isStream: body.boolean("stream") ?? false,
    wantsStreamUsage: true,
    ...conversation,
    tools,
    toolChoice: decodeResponsesToolChoice(body, tools),
    parallelToolCalls: body.boolean("parallel_tool_calls"),
    format: decodeResponsesOutputFormat(body),
    reasoning: decodeResponsesReasoningControl(body, context.warnings),
    sampling: decodeSampling(body),
    maxOutputTokens: toValueWithPath(body, "max_output_tokens", body.integer("max_output_tokens")),
    stop: undefined,
    logprobs: decodeResponsesLogprobControl(body),
    user: decodeUser(body),
    serviceTier: toValueWithPath(body, "service_tier", body.string("service_tier")),
    verbosity: decodeVerbosity(body),
    metadata: decodeMetadata(body),
    extras: decodeResponsesRequestExtraFields(body),
    echo: readResponsesEchoedFields(value),
  };
}

function decodeSampling(body: RequestFieldReader): SamplingParameters {
  return {
    temperature: toValueWithPath(body, "temperature", body.number("temperature")),
    topP: toValueWithPath(body, "top_p", body.number("top_p")),
    topK: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    seed: undefined,
  };
}

/** `safety_identifier` is the newer name of `user`. */
function decodeUser(body: RequestFieldReader): NeutralRequest["user"] {
  const user = toValueWithPath(body, "user", body.string("user"));
  return toValueWithPath(body, "safety_identifier", body.string("safety_identifier")) ?? user;
}

function decodeVerbosity(body: RequestFieldReader): NeutralRequest["verbosity"] {
  const text = body.object("text");
  return text === undefined
    ? undefined
    : toValueWithPath(text, "verbosity", text.string("verbosity"));
}

function decodeMetadata(body: RequestFieldReader): NeutralRequest["metadata"] {
  const metadata = body.object("metadata");
  if (metadata === undefined) return undefined;
  const names = Object.keys(metadata.value);
  const pairs = names.map((name) => [name, metadata.requiredString(name)] as const);
  return { path: "metadata", value: Object.fromEntries(pairs) };
}
