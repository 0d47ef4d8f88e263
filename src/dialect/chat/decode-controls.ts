import { invalidRequestError } from "../../platform/errors.ts";
import {
  arrayElementPath,
  jsonMemberPath,
  rejectMissingField,
  type RequestFieldReader,
} from "../body-reader.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";
import { isReasoningEffort } from "../reasoning-effort.ts";
import type {
  StructuredOutputFormat,
  ReasoningControl,
  SamplingParameters,
  NeutralRequest,
} from "../neutral-request.ts";
import { toValueWithPath } from "../locate.ts";

/** `top_k` is no field of the vendor's, but compatible servers made it one. */
export function decodeChatSampling(body: RequestFieldReader): SamplingParameters {
  return {
    temperature: toValueWithPath(body, "temperature", body.number("temperature")),
    topP: toValueWithPath(body, "top_p", body.number("top_p")),
    topK: toValueWithPath(body, "top_k", body.integer("top_k")),
    presencePenalty: toValueWithPath(body, "presence_penalty", body.number("presence_penalty")),
    frequencyPenalty: toValueWithPath(body, "frequency_penalty", body.number("frequency_penalty")),
    seed: toValueWithPath(body, "seed", body.integer("seed")),
  };
}

/** One text or several. */
export function decodeChatStopSequences(body: RequestFieldReader): NeutralRequest["stop"] {
  const value = body.value["stop"];
  if (typeof value === "string") return value === "" ? undefined : { path: "stop", value: [value] };
  const items = body.array("stop") ?? [];
  const texts = items.map((item, index) => textOf(item, arrayElementPath("stop", index)));
  return texts.length === 0 ? undefined : { path: "stop", value: texts };
}

/** What a caller gets back to send again (`reasoning_details`) is always wanted. */
export function decodeChatReasoningControl(
  body: RequestFieldReader,
  ledger: ConversionWarningCollector,
): ReasoningControl | undefined {
  const path = "reasoning_effort";
  const effort = body.string(path);
  if (effort === undefined) return undefined;
  if (!isReasoningEffort(effort)) {
    ledger.drop(path, "unknown");
    return undefined;
  }
  return {
    path,
    mode: "effort",
    effort,
    budgetTokens: undefined,
    summary: undefined,
    wantsEncrypted: true,
  };
}

export function decodeChatMetadata(body: RequestFieldReader): NeutralRequest["metadata"] {
  const metadata = body.object("metadata");
  if (metadata === undefined) return undefined;
  const entries = Object.entries(metadata.value).map(
    ([name, value]) => [name, textOf(value, jsonMemberPath("metadata", name))] as const,
  );
  return { path: "metadata", value: Object.fromEntries(entries) };
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidRequestError(path, `\`${path}\` must be a string.`);
  return value;
}

/** `response_format`; `text` says nothing. */
export function decodeChatOutputFormat(
  body: RequestFieldReader,
): StructuredOutputFormat | undefined {
  const format = body.object("response_format");
  if (format === undefined) return undefined;
  const type = format.requiredString("type");
  if (type === "text") return undefined;
  if (type === "json_object") return { path: format.path, kind: "json" };
  if (type === "json_schema") return decodeSchema(format);
  const path = format.pathOf("type");
  throw invalidRequestError(
    path,
    `\`${path}\` must be \`text\`, \`json_object\` or \`json_schema\`.`,
  );
}

/** Without a schema it asks for any JSON object. */
function decodeSchema(format: RequestFieldReader): StructuredOutputFormat {
  const named = format.object("json_schema") ?? rejectMissingField(format.pathOf("json_schema"));
  const schema = named.object("schema");
  if (schema === undefined) return { path: format.path, kind: "json" };
  return {
    path: format.path,
    kind: "schema",
    name: named.string("name"),
    description: named.string("description"),
    schema: schema.value,
    strict: named.boolean("strict"),
  };
}
