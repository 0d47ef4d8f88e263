import { invalidRequestError } from "../../platform/errors.ts";
import { RequestFieldReader } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralRequest } from "../neutral-request.ts";
import { decodeChatRequestExtraFields } from "./decode-extras.ts";
import { decodeChatConversation } from "./decode-conversation.ts";
import {
  decodeChatOutputFormat,
  decodeChatMetadata,
  decodeChatReasoningControl,
  decodeChatSampling,
  decodeChatStopSequences,
} from "./decode-controls.ts";
import { decodeChatToolChoice } from "./decode-tool-choice.ts";
import { decodeChatTools, isDeprecatedFunctionsEntry } from "./decode-tools.ts";
import { toValueWithPath } from "../locate.ts";
import { decodeChatWebSearchOptions } from "./web-search.ts";

/**
 * Reads a body of the chat dialect, its deprecated `functions` included. Refused
 * are several choices and audio, which no other dialect has.
 */
export function decodeChatRequest(
  value: JsonObject,
  context: RequestDecodingContext,
): NeutralRequest {
  const body = new RequestFieldReader(value);
  rejectUnsupported(body);
  const tools = decodeChatTools(body);
  const isLegacy = tools.some(isDeprecatedFunctionsEntry);
  const model = body.requiredString("model");
  const isStream = body.boolean("stream") ?? false;
  const wantsStreamUsage = body.object("stream_options")?.boolean("include_usage") ?? false;
  const { system, messages } = decodeChatConversation(body, context);
  return {
    origin: "dialect_chat",
    model,
    isStream,
    wantsStreamUsage,
    system,
    messages,
    tools,
    search: decodeChatWebSearchOptions(body),
    toolChoice: decodeChatToolChoice(body),
    parallelToolCalls: isLegacy ? false : body.boolean("parallel_tool_calls"),
    format: decodeChatOutputFormat(body),
    reasoning: decodeChatReasoningControl(body, context.warnings),
    sampling: decodeChatSampling(body),
    maxOutputTokens: decodeMaxTokens(body),
    stop: decodeChatStopSequences(body),
    logprobs: decodeLogprobs(body),
    user: decodeUser(body),
    serviceTier: toValueWithPath(body, "service_tier", body.string("service_tier")),
    verbosity: toValueWithPath(body, "verbosity", body.string("verbosity")),
    metadata: decodeChatMetadata(body),
    extras: decodeChatRequestExtraFields(body),
  };
}

/** The vendor of the dialect refuses both names together. Equal values are taken, because some clients send both. */
function decodeMaxTokens(body: RequestFieldReader): NeutralRequest["maxOutputTokens"] {
  const older = body.integer("max_tokens");
  const newer = body.integer("max_completion_tokens");
  if (older !== undefined && newer !== undefined && older !== newer) {
    throw invalidRequestError(
      "max_tokens",
      "`max_tokens` differs from `max_completion_tokens`. Send one of them.",
    );
  }
  return (
    toValueWithPath(body, "max_completion_tokens", newer) ??
    toValueWithPath(body, "max_tokens", older)
  );
}

function decodeUser(body: RequestFieldReader): NeutralRequest["user"] {
  return (
    toValueWithPath(body, "safety_identifier", body.string("safety_identifier")) ??
    toValueWithPath(body, "user", body.string("user"))
  );
}

function decodeLogprobs(body: RequestFieldReader): NeutralRequest["logprobs"] {
  const top = body.integer("top_logprobs");
  if (body.boolean("logprobs") === true) return { path: "logprobs", value: { top } };
  if (top === undefined || top === 0) return undefined;
  throw invalidRequestError("top_logprobs", "`top_logprobs` needs `logprobs: true`.");
}

function rejectUnsupported(body: RequestFieldReader): void {
  const choices = body.integer("n") ?? 1;
  if (choices !== 1) throw invalidRequestError("n", "This upstream gives one choice. Send `n: 1`.");
  if (body.array("modalities")?.some((mode) => mode !== "text") === true) {
    throw invalidRequestError("modalities", "This upstream answers in text only.");
  }
  if (body.has("audio")) throw invalidRequestError("audio", "This upstream answers in text only.");
}
