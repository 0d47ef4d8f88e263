import { invalidRequestError } from "../../platform/errors.ts";
import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type {
  NeutralPart,
  TextPart,
  ToolResultPart,
  NeutralRequest,
  NeutralMessage,
} from "../neutral-request.ts";
import {
  decodeMessagesAssistantBlock,
  decodeMessagesTextBlock,
  decodeMessagesUserBlock,
} from "./decode-parts.ts";
import { toolChangeBlockTypes } from "./tool-changes.ts";
import { warnAboutMessagesUnknownMembers } from "./unknown-members.ts";
import { claudeCodeBillingPrefix } from "./wire.ts";

/**
 * `system` and `messages`. System messages that precede the conversation belong
 * to the system text; the others stay where they stand.
 */
export function decodeMessagesConversation(
  body: RequestFieldReader,
  context: RequestDecodingContext,
): Pick<NeutralRequest, "system" | "messages"> {
  if (body.array("messages") === undefined) rejectMissingField("messages");
  const items = body.objects("messages");
  const lastUser = items.findLastIndex(({ value }) => value["role"] === "user");
  const messages = items.flatMap((message, at) =>
    at < lastUser && isTurnScoped(message) ? [] : decodeMessage(message, context),
  );
  const first = messages.findIndex(({ role }) => role !== "system");
  const leading = messages.slice(0, first === -1 ? messages.length : first);
  return {
    system: [
      ...decodeSystem(body, context),
      ...leading.flatMap(({ parts }) => parts.filter((part) => part.type === "text")),
    ],
    messages: messages.slice(leading.length),
  };
}

/** Shown to the model only until the next turn of the user. */
function isTurnScoped({ value }: RequestFieldReader): boolean {
  return value["role"] === "system" && value["clear_at"] === "next_user_message";
}

/** The system text; the vendor's billing line is left out, for it changes with every request. */
function decodeSystem(
  body: RequestFieldReader,
  { warnings: ledger }: RequestDecodingContext,
): readonly TextPart[] {
  if (typeof body.value["system"] === "string") {
    return [{ type: "text", path: "system", text: body.value["system"] }];
  }
  return body.objects("system").flatMap((block) => {
    const part = decodeOnlyText(block);
    if (!part.text.startsWith(claudeCodeBillingPrefix)) return [part];
    ledger.drop(block.path, "foreign");
    return [];
  });
}

function decodeOnlyText(block: RequestFieldReader): TextPart {
  if (block.requiredString("type") === "text") return decodeMessagesTextBlock(block);
  throw invalidRequestError(
    block.pathOf("type"),
    "System messages hold blocks of type `text` only.",
  );
}

/** Text; changes of the tools are read with the tools. A message may only set options. */
function systemParts(message: RequestFieldReader): readonly NeutralPart[] {
  if (!message.has("content") && message.has("output_config")) return [];
  return contentOf(message, (block) =>
    toolChangeBlockTypes.has(block.requiredString("type")) ? [] : [decodeOnlyText(block)],
  );
}

function decodeMessage(
  message: RequestFieldReader,
  context: RequestDecodingContext,
): readonly NeutralMessage[] {
  const { path } = message;
  warnAboutMessagesUnknownMembers(message, context.warnings);
  const role = message.requiredString("role");
  switch (role) {
    case "system": {
      const parts = systemParts(message);
      return parts.length === 0 ? [] : [{ path, role, parts }];
    }
    case "assistant":
      return [
        {
          path,
          role,
          parts: contentOf(message, (block) => decodeMessagesAssistantBlock(block, context)),
        },
      ];
    case "user":
      return splitResults(
        path,
        contentOf(message, (block) => decodeMessagesUserBlock(block, context)),
        context,
      );
    default:
      throw invalidRequestError(
        message.pathOf("role"),
        "A role of this dialect is `user`, `assistant` or `system`.",
      );
  }
}

/** Content is a string or blocks; a missing one is refused. */
function contentOf(
  message: RequestFieldReader,
  decode: (block: RequestFieldReader) => readonly NeutralPart[],
): readonly NeutralPart[] {
  const { content } = message.value;
  if (typeof content === "string") {
    return [{ type: "text", path: message.pathOf("content"), text: content }];
  }
  if (message.array("content") === undefined) rejectMissingField(message.pathOf("content"));
  return message.objects("content").flatMap(decode);
}

/** Results of tools first, then what the user says. */
function splitResults(
  path: string,
  parts: readonly NeutralPart[],
  { warnings: ledger }: RequestDecodingContext,
): readonly NeutralMessage[] {
  const results = parts.filter((part): part is ToolResultPart => part.type === "tool-result");
  if (results.length === 0) return [{ path, role: "user", parts }];
  const rest = parts.filter((part) => part.type !== "tool-result");
  if (parts.slice(0, results.length).some((part) => part.type !== "tool-result")) {
    ledger.approximate(rest[0]?.path ?? path, "position");
  }
  const answered: NeutralMessage = { path, role: "tool", parts: results };
  return rest.length === 0 ? [answered] : [answered, { path, role: "user", parts: rest }];
}
