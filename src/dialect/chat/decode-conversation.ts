import { invalidRequestError } from "../../platform/errors.ts";
import { rejectMissingField, type RequestFieldReader } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type {
  NeutralPart,
  TextPart,
  ToolResultPart,
  NeutralRequest,
  NeutralMessage,
  NeutralRole,
} from "../neutral-request.ts";
import { decodeChatAssistantMessage } from "./decode-assistant.ts";
import { warnAboutChatMissingReasoning } from "./decode-reasoning.ts";
import { decodeChatContent, decodeChatTextOnlyContent } from "./decode-content.ts";
import { warnAboutChatUnknownMembers } from "./unknown-members.ts";

type Conversation = Pick<NeutralRequest, "system" | "messages">;

/** System messages before the first other one are the turn's system; later ones stay in place. */
export function decodeChatConversation(
  body: RequestFieldReader,
  context: RequestDecodingContext,
): Conversation {
  const items = body.objects("messages");
  if (items.length === 0) {
    if (!body.has("messages")) rejectMissingField("messages");
    throw invalidRequestError("messages", "`messages` must hold at least one message.");
  }
  const first = items.findIndex((item) => roleOf(item) !== "system");
  const leading = first === -1 ? items : items.slice(0, first);
  const decoder = messageDecoder(context);
  for (const item of items) warnAboutChatUnknownMembers(item, context.warnings);
  const system = leading.flatMap((item) => decodeSystem(item, context));
  const messages = items.slice(leading.length).map(decoder);
  if (context.reasoning !== undefined && wantsReasoning(body))
    warnAboutChatMissingReasoning(messages, context);
  return { system, messages };
}

function wantsReasoning(body: RequestFieldReader): boolean {
  const effort = body.string("reasoning_effort") ?? "none";
  return effort !== "none";
}

function decodeSystem(
  item: RequestFieldReader,
  { warnings: ledger }: RequestDecodingContext,
): readonly TextPart[] {
  if (item.has("name")) ledger.drop(item.pathOf("name"), "unsupported");
  return decodeChatTextOnlyContent(item);
}

/** Knows the last `function_call`, for its result has the name only. */
function messageDecoder(
  context: RequestDecodingContext,
): (item: RequestFieldReader, index: number) => NeutralMessage {
  let legacyId = "";
  return (item, index) => {
    const role = roleOf(item);
    if (item.has("function_call")) legacyId = `function_call_${index}`;
    const parts = decodeParts(item, role, legacyId, context);
    return {
      path: item.path,
      role,
      parts,
      name: role === "tool" ? undefined : item.string("name"),
    };
  };
}

function decodeParts(
  item: RequestFieldReader,
  role: NeutralRole,
  legacyId: string,
  context: RequestDecodingContext,
): readonly NeutralPart[] {
  switch (role) {
    case "system":
      return decodeChatTextOnlyContent(item);
    case "user":
      return decodeChatContent(item);
    case "assistant":
      return decodeChatAssistantMessage(item, legacyId, context);
    case "tool":
      return [decodeResult(item, legacyId)];
  }
}

function decodeResult(item: RequestFieldReader, legacyId: string): ToolResultPart {
  const isLegacy = item.string("role") === "function";
  return {
    type: "tool-result",
    path: item.path,
    // Pairing with the call tells which it is.
    kind: "function",
    callId: isLegacy ? legacyId : item.requiredString("tool_call_id"),
    isError: false,
    content: decodeChatContent(item),
  };
}

function roleOf(item: RequestFieldReader): NeutralRole {
  const role = item.requiredString("role");
  switch (role) {
    case "system":
    case "developer":
      return "system";
    case "user":
    case "assistant":
    case "tool":
      return role;
    case "function":
      return "tool";
    default:
      throw invalidRequestError(
        item.pathOf("role"),
        "A role is one of `system`, `developer`, `user`, `assistant`, `tool`.",
      );
  }
}
