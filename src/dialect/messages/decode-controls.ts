import { invalidRequestError } from "../../platform/errors.ts";
import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import type { JsonObject } from "../json.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";
import { isReasoningEffort } from "../reasoning-effort.ts";
import type {
  StructuredOutputFormat,
  ReasoningControl,
  ReasoningEffort,
} from "../neutral-request.ts";

/** `output_config.format`, or `output_format` as it was called before. */
export function decodeMessagesOutputFormat(
  body: RequestFieldReader,
): StructuredOutputFormat | undefined {
  const format = body.object("output_config")?.object("format") ?? body.object("output_format");
  if (format === undefined) return undefined;
  if (format.requiredString("type") !== "json_schema") {
    throw invalidRequestError(
      format.pathOf("type"),
      "The only format of this dialect is `json_schema`.",
    );
  }
  return {
    path: format.path,
    kind: "schema",
    name: undefined,
    description: undefined,
    schema: requiredSchema(format),
    strict: undefined,
  };
}

type Mode = Pick<ReasoningControl, "mode" | "budgetTokens">;

/** `thinking` and `output_config.effort`; a signature is always wanted back. */
export function decodeMessagesReasoningControl(
  body: RequestFieldReader,
  ledger: ConversionWarningCollector,
): ReasoningControl | undefined {
  const thinking = body.object("thinking");
  const effort = decodeEffort(body.object("output_config"), ledger);
  if (thinking === undefined) {
    if (effort === undefined) return undefined;
    const control = { mode: "effort", effort, budgetTokens: undefined } as const;
    return { ...control, path: "output_config.effort", summary: undefined, wantsEncrypted: true };
  }
  const summary = thinking.string("display");
  const { mode, budgetTokens } = decodeMode(thinking, ledger);
  return { path: "thinking", mode, budgetTokens, effort, summary, wantsEncrypted: true };
}

function decodeEffort(
  config: RequestFieldReader | undefined,
  ledger: ConversionWarningCollector,
): ReasoningEffort | undefined {
  const word = config?.string("effort");
  if (config === undefined || word === undefined) return undefined;
  if (isReasoningEffort(word)) return word;
  ledger.drop(config.pathOf("effort"), "unknown");
  return undefined;
}

function decodeMode(thinking: RequestFieldReader, ledger: ConversionWarningCollector): Mode {
  const type = thinking.requiredString("type");
  switch (type) {
    case "enabled":
      return { mode: "budget", budgetTokens: requiredBudget(thinking) };
    case "disabled":
      return { mode: "disabled", budgetTokens: undefined };
    case "between_tools":
      ledger.approximate(thinking.pathOf("type"), "unsupported");
      return { mode: "adaptive", budgetTokens: undefined };
    case "adaptive":
      return { mode: "adaptive", budgetTokens: undefined };
    default:
      throw invalidRequestError(
        thinking.pathOf("type"),
        "`thinking.type` is `enabled`, `adaptive`, `disabled` or `between_tools`.",
      );
  }
}

function requiredBudget(thinking: RequestFieldReader): number {
  const budget = thinking.integer("budget_tokens");
  if (budget !== undefined) return budget;
  const path = thinking.pathOf("budget_tokens");
  throw invalidRequestError(path, `\`${path}\` is missing; thinking is \`enabled\` with a budget.`);
}

function requiredSchema(format: RequestFieldReader): JsonObject {
  return format.object("schema")?.value ?? rejectMissingField(format.pathOf("schema"));
}
