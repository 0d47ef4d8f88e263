import { invalidRequestError } from "../../platform/errors.ts";
import { RequestFieldReader, arrayElementPath } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import { toValueWithPath } from "../locate.ts";
import { toRequestExtraField } from "../extra-field.ts";
import type {
  UnmappedRequestField,
  SamplingParameters,
  NeutralRequest,
} from "../neutral-request.ts";
import { decodeMessagesOutputFormat, decodeMessagesReasoningControl } from "./decode-controls.ts";
import { decodeMessagesConversation } from "./decode-conversation.ts";
import { decodeMessagesToolChoice } from "./decode-tool-choice.ts";
import { decodeMessagesTools } from "./decode-tools.ts";
import { rejectMessagesRemovedFields } from "./removed-fields.ts";
import { applySystemMessageToolChanges } from "./tool-changes.ts";
import { knownMessagesRequestFields } from "./wire.ts";

/**
 * Reads a body of the messages dialect. A missing `max_tokens` is taken for no
 * cap: the interface declares `model` alone. The version header decides what is
 * refused, as the vendor refuses it.
 */
export function decodeMessagesRequest(
  value: JsonObject,
  context: RequestDecodingContext,
): NeutralRequest {
  const body = new RequestFieldReader(value);
  dropBetas(context);
  rejectMessagesRemovedFields(body, context.headers["anthropic-version"]);
  const choice = decodeMessagesToolChoice(body);
  const model = body.requiredString("model");
  const isStream = body.boolean("stream") ?? false;
  const { system, messages } = decodeMessagesConversation(body, context);
  return {
    origin: "dialect_messages",
    model,
    isStream,
    wantsStreamUsage: true,
    system,
    messages,
    tools: applySystemMessageToolChanges(body.objects("messages"), decodeMessagesTools(body)),
    toolChoice: choice.toolChoice,
    parallelToolCalls: choice.parallelToolCalls,
    format: decodeMessagesOutputFormat(body),
    reasoning: decodeMessagesReasoningControl(body, context.warnings),
    sampling: decodeSampling(body),
    maxOutputTokens: toValueWithPath(body, "max_tokens", body.integer("max_tokens")),
    stop: decodeStop(body),
    logprobs: undefined,
    user: decodeUser(body),
    serviceTier: toValueWithPath(body, "service_tier", body.string("service_tier")),
    verbosity: undefined,
    metadata: undefined,
    extras: decodeExtras(body),
  };
}

/** Betas belong to the vendor's own server; they never reach another dialect. */
function dropBetas({ headers, warnings: ledger }: RequestDecodingContext): void {
  const betas = headers["anthropic-beta"];
  if (betas !== undefined && betas !== "") ledger.drop("headers.anthropic-beta", "unsupported");
}

function decodeSampling(body: RequestFieldReader): SamplingParameters {
  return {
    temperature: toValueWithPath(body, "temperature", body.number("temperature")),
    topP: toValueWithPath(body, "top_p", body.number("top_p")),
    topK: toValueWithPath(body, "top_k", body.integer("top_k")),
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    seed: undefined,
  };
}

function decodeStop(body: RequestFieldReader): NeutralRequest["stop"] {
  const items = body.array("stop_sequences") ?? [];
  const value = items.map((item, index) =>
    typeof item === "string" ? item : rejectItem(arrayElementPath("stop_sequences", index)),
  );
  return value.length === 0 ? undefined : { path: "stop_sequences", value };
}

function rejectItem(path: string): never {
  throw invalidRequestError(path, `\`${path}\` must be a string.`);
}

function decodeUser(body: RequestFieldReader): NeutralRequest["user"] {
  const metadata = body.object("metadata");
  return metadata === undefined
    ? undefined
    : toValueWithPath(metadata, "user_id", metadata.string("user_id"));
}

const metadataFields = new Set(["user_id"]);
const outputFields = new Set(["effort", "format"]);
const thinkingFields = new Set(["type", "budget_tokens", "display"]);
const choiceFields = new Set(["type", "name", "disable_parallel_tool_use"]);

function decodeExtras(body: RequestFieldReader): readonly UnmappedRequestField[] {
  const extras: UnmappedRequestField[] = [];
  addExtras(extras, body, knownMessagesRequestFields);
  addExtras(extras, body.object("metadata"), metadataFields);
  addExtras(extras, body.object("output_config"), outputFields);
  addExtras(extras, body.object("thinking"), thinkingFields);
  addExtras(extras, body.object("tool_choice"), choiceFields);
  return extras;
}

/** Members that nothing above reads; `null` says nothing. */
function addExtras(
  extras: UnmappedRequestField[],
  object: RequestFieldReader | undefined,
  known: ReadonlySet<string>,
): void {
  for (const name of object?.unknownNames(known) ?? []) {
    if (object?.has(name)) extras.push(toRequestExtraField(object, name));
  }
}
