import { invalidRequest } from "../../platform/errors.ts";
import { missing, type BodyReader } from "../body-reader.ts";
import type { DecodeContext } from "../codec.ts";
import type { Part, TextPart, ToolResultPart, Turn, TurnMessage, TurnRole } from "../turn.ts";
import { decodeAssistant } from "./decode-assistant.ts";
import { warnOfForgotten } from "./decode-reasoning.ts";
import { decodeContent, decodeTexts } from "./decode-content.ts";
import { dropUnknown } from "./unknown-members.ts";

type Conversation = Pick<Turn, "system" | "messages">;

/** System messages before the first other one are the turn's system; later ones stay in place. */
export function decodeConversation(body: BodyReader, context: DecodeContext): Conversation {
  const items = body.objects("messages");
  if (items.length === 0) {
    if (!body.has("messages")) missing("messages");
    throw invalidRequest("messages", "`messages` must hold at least one message.");
  }
  const first = items.findIndex((item) => roleOf(item) !== "system");
  const leading = first === -1 ? items : items.slice(0, first);
  const decoder = messageDecoder(context);
  for (const item of items) dropUnknown(item, context.ledger);
  const system = leading.flatMap((item) => decodeSystem(item, context));
  const messages = items.slice(leading.length).map(decoder);
  if (context.thoughts !== undefined && wantsThinking(body)) warnOfForgotten(messages, context);
  return { system, messages };
}

function wantsThinking(body: BodyReader): boolean {
  const effort = body.string("reasoning_effort") ?? "none";
  return effort !== "none";
}

function decodeSystem(item: BodyReader, { ledger }: DecodeContext): readonly TextPart[] {
  if (item.has("name")) ledger.drop(item.pathOf("name"), "unsupported");
  return decodeTexts(item);
}

/** Knows the last `function_call`, for its result has the name only. */
function messageDecoder(context: DecodeContext): (item: BodyReader, index: number) => TurnMessage {
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
  item: BodyReader,
  role: TurnRole,
  legacyId: string,
  context: DecodeContext,
): readonly Part[] {
  switch (role) {
    case "system":
      return decodeTexts(item);
    case "user":
      return decodeContent(item);
    case "assistant":
      return decodeAssistant(item, legacyId, context);
    case "tool":
      return [decodeResult(item, legacyId)];
  }
}

function decodeResult(item: BodyReader, legacyId: string): ToolResultPart {
  const isLegacy = item.string("role") === "function";
  return {
    type: "tool-result",
    path: item.path,
    // Pairing with the call tells which it is.
    kind: "function",
    callId: isLegacy ? legacyId : item.requiredString("tool_call_id"),
    isError: false,
    content: decodeContent(item),
  };
}

function roleOf(item: BodyReader): TurnRole {
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
      throw invalidRequest(
        item.pathOf("role"),
        "A role is one of `system`, `developer`, `user`, `assistant`, `tool`.",
      );
  }
}
