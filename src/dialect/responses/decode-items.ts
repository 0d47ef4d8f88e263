import { invalidRequestError } from "../../platform/errors.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import { asArrayOrEmpty, asObject } from "../json.ts";
import type {
  OpaquePart,
  NeutralPart,
  NeutralTool,
  ToolCallPart,
  ClientToolKind,
  ToolResultPart,
} from "../neutral-request.ts";
import { decodeResponsesContent, decodeResponsesToolOutput } from "./decode-content.ts";
import {
  decodeResponsesToolSearchCall,
  decodeResponsesToolSearchOutput,
  isClientToolSearch,
} from "./decode-tool-search.ts";
import { decodeResponsesTools } from "./decode-tools.ts";
import { warnAboutResponsesUnknownMembers } from "./unknown-members.ts";
import { vendorSpecificCallerItemTypes } from "./wire.ts";

/** One item, read: what it adds to a message of that role. */
export interface ResponsesDecodedInputItem {
  readonly path: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly NeutralPart[];
  readonly phase?: string | undefined;
  /** Tools that it brings along: they can be called from here on. */
  readonly tools?: readonly NeutralTool[];
  /** A message of its own, which may not flow into the one before. */
  readonly isMessage: boolean;
}

/** Reads an item that is not a reference. Items that only the vendor knows are opaque. */
export function decodeResponsesInputItem(
  item: RequestFieldReader,
  context: RequestDecodingContext,
): ResponsesDecodedInputItem {
  const { path } = item;
  warnAboutResponsesUnknownMembers(item, context.warnings);
  const type =
    item.string("type") ?? (item.has("role") ? "message" : rejectMissingField(item.pathOf("type")));
  switch (type) {
    case "message":
      return decodeMessage(item);
    case "reasoning":
      return { path, role: "assistant", parts: decodeReasoning(item, context), isMessage: false };
    case "function_call":
    case "custom_tool_call":
      return { path, role: "assistant", parts: [decodeCall(item, kindOf(type))], isMessage: false };
    case "function_call_output":
    case "custom_tool_call_output":
      return { path, role: "tool", parts: [decodeResult(item, kindOf(type))], isMessage: false };
    case "tool_search_call":
    case "tool_search_output":
      return isClientToolSearch(item)
        ? decodeSearch(item, type, context)
        : decodeForeign(item, type);
    case "additional_tools": {
      const tools = decodeResponsesTools(item, context.warnings);
      return { path, role: "system", parts: [], tools, isMessage: false };
    }
    case "configuration_update":
      // It has become the request's own configuration.
      return { path, role: "system", parts: [], isMessage: false };
    default:
      return decodeForeign(item, type);
  }
}

function decodeSearch(
  item: RequestFieldReader,
  type: string,
  { warnings: ledger }: RequestDecodingContext,
): ResponsesDecodedInputItem {
  const { path } = item;
  if (type === "tool_search_call") {
    return {
      path,
      role: "assistant",
      parts: [decodeResponsesToolSearchCall(item)],
      isMessage: false,
    };
  }
  const { result, tools } = decodeResponsesToolSearchOutput(item, ledger);
  return { path, role: "tool", parts: [result], tools, isMessage: false };
}

function decodeForeign(item: RequestFieldReader, type: string): ResponsesDecodedInputItem {
  const role = vendorSpecificCallerItemTypes.has(type) ? "user" : "assistant";
  return { path: item.path, role, parts: [decodeOpaque(item, type)], isMessage: false };
}

const roles = recordToMap<"user" | "assistant" | "system">({
  user: "user",
  assistant: "assistant",
  system: "system",
  developer: "system",
});

function decodeMessage(item: RequestFieldReader): ResponsesDecodedInputItem {
  const role = roles.get(item.requiredString("role"));
  if (role === undefined) {
    const known = [...roles.keys()].join("`, `");
    throw invalidRequestError(item.pathOf("role"), `A role is one of \`${known}\`.`);
  }
  const parts = decodeResponsesContent(item, "content");
  return { path: item.path, role, parts, phase: item.string("phase"), isMessage: true };
}

function kindOf(type: string): ClientToolKind {
  return type.startsWith("custom") ? "custom" : "function";
}

function decodeCall(item: RequestFieldReader, kind: ClientToolKind): ToolCallPart {
  const member = kind === "custom" ? "input" : "arguments";
  return {
    type: "tool-call",
    path: item.path,
    kind,
    id: item.requiredString("call_id"),
    name: item.requiredString("name"),
    namespace: item.string("namespace"),
    arguments: item.requiredString(member),
    argumentsPath: item.pathOf(member),
  };
}

/** The interface lets `call_id` out, but then nobody can say what was answered. */
function decodeResult(item: RequestFieldReader, kind: ClientToolKind): ToolResultPart {
  return {
    type: "tool-result",
    path: item.path,
    kind,
    callId: item.requiredString("call_id"),
    isError: false,
    content: decodeResponsesToolOutput(item),
  };
}

/**
 * What was thought. Only an envelope of ours, from the same upstream and model,
 * goes back where it came from; a foreign one is dropped and the words stay.
 */
function decodeReasoning(
  item: RequestFieldReader,
  context: RequestDecodingContext,
): readonly NeutralPart[] {
  const { path } = item;
  const encrypted = item.string("encrypted_content");
  const opened = encrypted === undefined ? undefined : context.envelope.open(encrypted);
  if (opened !== undefined) {
    return [{ type: "reasoning", path, texts: opened.texts, encrypted: opened.encryptedReasoning }];
  }
  if (encrypted !== undefined) context.warnings.drop(item.pathOf("encrypted_content"), "foreign");
  const texts = [...textsOf(item, "summary"), ...textsOf(item, "content")];
  return texts.length === 0 ? [] : [{ type: "reasoning", path, texts }];
}

function textsOf(item: RequestFieldReader, name: string): readonly string[] {
  return asArrayOrEmpty(item.value[name]).flatMap((value) => {
    const text = asObject(value)?.["text"];
    return typeof text === "string" ? [text] : [];
  });
}

/** Items in which only their vendor can read what was said before. */
const summaries: ReadonlySet<string> = new Set(["compaction", "context_compaction"]);

function decodeOpaque(item: RequestFieldReader, name: string): OpaquePart {
  const part = { type: "opaque", dialect: "dialect_responses", name, raw: item.value } as const;
  return summaries.has(name)
    ? { ...part, path: item.path, advice: "Send the whole conversation in its place." }
    : { ...part, path: item.pathOf("type") };
}
