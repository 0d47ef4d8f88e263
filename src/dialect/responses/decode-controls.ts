import { invalidRequestError } from "../../platform/errors.ts";
import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";
import { isReasoningEffort } from "../reasoning-effort.ts";
import type {
  StructuredOutputFormat,
  ReasoningControl,
  ReasoningEffort,
  NeutralRequest,
} from "../neutral-request.ts";

const encryptedReasoningInclude = "reasoning.encrypted_content";
const logprobsInclude = "message.output_text.logprobs";

/** Entries of `include` that the neutral turn has a word for. */
export const translatedIncludes: ReadonlySet<unknown> = new Set([
  encryptedReasoningInclude,
  logprobsInclude,
]);

/** `text.format`: flat here, where chat nests the schema. */
export function decodeResponsesOutputFormat(
  body: RequestFieldReader,
): StructuredOutputFormat | undefined {
  const format = body.object("text")?.object("format");
  if (format === undefined) return undefined;
  const { path } = format;
  switch (format.requiredString("type")) {
    case "text":
      return undefined;
    case "json_object":
      return { path, kind: "json" };
    case "json_schema":
      return decodeSchema(format);
    default:
      throw invalidRequestError(
        format.pathOf("type"),
        "A format is `text`, `json_object` or `json_schema`.",
      );
  }
}

function decodeSchema(format: RequestFieldReader): StructuredOutputFormat {
  return {
    path: format.path,
    kind: "schema",
    name: format.string("name"),
    description: format.string("description"),
    schema: format.object("schema")?.value ?? rejectMissingField(format.pathOf("schema")),
    strict: format.boolean("strict"),
  };
}

/** `reasoning`, and whether the caller wants what it can send back. */
export function decodeResponsesReasoningControl(
  body: RequestFieldReader,
  ledger: ConversionWarningCollector,
): ReasoningControl | undefined {
  const reasoning = body.object("reasoning");
  const wantsSeal = hasInclude(body, encryptedReasoningInclude);
  if (reasoning === undefined && !wantsSeal) return undefined;
  const effort = decodeEffort(reasoning, ledger);
  return {
    path: effort === undefined ? (reasoning?.path ?? "include") : "reasoning.effort",
    mode: effort === undefined ? "default" : "effort",
    effort,
    budgetTokens: undefined,
    summary: reasoning?.string("summary") ?? reasoning?.string("generate_summary"),
    wantsEncrypted: wantsSeal,
  };
}

function decodeEffort(
  reasoning: RequestFieldReader | undefined,
  ledger: ConversionWarningCollector,
): ReasoningEffort | undefined {
  const word = reasoning?.string("effort");
  if (reasoning === undefined || word === undefined) return undefined;
  if (isReasoningEffort(word)) return word;
  ledger.drop(reasoning.pathOf("effort"), "unknown");
  return undefined;
}

/** Throws 400 for a limit of tool calls that is not a whole number from 1. */
export function rejectResponsesInvalidToolCallLimit(body: RequestFieldReader): void {
  const limit = body.integer("max_tool_calls");
  if (limit === undefined || limit >= 1) return;
  throw invalidRequestError("max_tool_calls", "`max_tool_calls` must be a whole number from 1.");
}

/** Asked for with an entry of `include`, which is what a refusal names. */
export function decodeResponsesLogprobControl(
  body: RequestFieldReader,
): NeutralRequest["logprobs"] {
  const top = body.integer("top_logprobs");
  return hasInclude(body, logprobsInclude) ? { path: "include", value: { top } } : undefined;
}

function hasInclude(body: RequestFieldReader, entry: string): boolean {
  return body.array("include")?.includes(entry) ?? false;
}
