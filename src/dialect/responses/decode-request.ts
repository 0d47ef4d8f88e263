import { BodyReader } from "../body-reader.ts";
import type { DecodeContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import { locate } from "../locate.ts";
import { withTools } from "../tool-names.ts";
import type { Sampling, Turn } from "../turn.ts";
import { configuredBody } from "./configured-body.ts";
import { decodeFormat, decodeLogprobs, decodeReasoning } from "./decode-controls.ts";
import { decodeExtras } from "./decode-extras.ts";
import { decodeConversation } from "./decode-conversation.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";
import { decodeTools } from "./decode-tools.ts";
import { refuseVendorState } from "./vendor-state.ts";
import { echoOf } from "./wire.ts";

/**
 * Reads a body of the responses dialect. What the vendor keeps for its callers is
 * served from our own kept turns (`context.kept`) or refused; `store` is the
 * gateway's to honour.
 */
export function decodeRequest(value: JsonObject, context: DecodeContext): Turn {
  const body = new BodyReader(configuredBody(value, context.kept));
  const model = body.requiredString("model");
  refuseVendorState(body);
  const { broughtTools, ...conversation } = decodeConversation(body, context);
  const tools = withTools(decodeTools(body, context.ledger), broughtTools);
  return {
    origin: "dialect_responses",
    model,
    isStream: body.boolean("stream") ?? false,
    wantsStreamUsage: true,
    ...conversation,
    tools,
    toolChoice: decodeToolChoice(body, tools),
    parallelToolCalls: body.boolean("parallel_tool_calls"),
    format: decodeFormat(body),
    reasoning: decodeReasoning(body, context.ledger),
    sampling: decodeSampling(body),
    maxOutputTokens: locate(body, "max_output_tokens", body.integer("max_output_tokens")),
    stop: undefined,
    logprobs: decodeLogprobs(body),
    user: decodeUser(body),
    serviceTier: locate(body, "service_tier", body.string("service_tier")),
    verbosity: decodeVerbosity(body),
    metadata: decodeMetadata(body),
    extras: decodeExtras(body),
    echo: echoOf(value),
  };
}

function decodeSampling(body: BodyReader): Sampling {
  return {
    temperature: locate(body, "temperature", body.number("temperature")),
    topP: locate(body, "top_p", body.number("top_p")),
    topK: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    seed: undefined,
  };
}

/** `safety_identifier` is the newer name of `user`. */
function decodeUser(body: BodyReader): Turn["user"] {
  const user = locate(body, "user", body.string("user"));
  return locate(body, "safety_identifier", body.string("safety_identifier")) ?? user;
}

function decodeVerbosity(body: BodyReader): Turn["verbosity"] {
  const text = body.object("text");
  return text === undefined ? undefined : locate(text, "verbosity", text.string("verbosity"));
}

function decodeMetadata(body: BodyReader): Turn["metadata"] {
  const metadata = body.object("metadata");
  if (metadata === undefined) return undefined;
  const names = Object.keys(metadata.value);
  const pairs = names.map((name) => [name, metadata.requiredString(name)] as const);
  return { path: "metadata", value: Object.fromEntries(pairs) };
}
