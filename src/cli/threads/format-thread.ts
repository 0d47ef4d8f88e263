import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { formatTableCell, sanitizeTerminalLine, sanitizeTerminalLines } from "../format-cell.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";

/** A thread as the conversation that it is: what the caller said stands behind `> `. */
export function formatThread(thread: JsonObject): string {
  const { session, turns_count: count, updated_at: updatedAt, turns } = thread;
  const number = count === 1 ? "1 turn" : `${formatTableCell(count ?? 0)} turns`;
  const head = `${formatTableCell(session ?? null)}: ${number}, last changed ${formatTableCell(updatedAt ?? null)}`;
  const shown = Array.isArray(turns) ? turns.filter(isProtobufJsonObject).map(formatTurn) : [];
  return [head, ...shown].join("\n\n");
}

function formatTurn(turn: JsonObject): string {
  const { id, model, created_at: createdAt, messages } = turn;
  const status = readStringMemberOrEmpty(turn, "status");
  const said = Array.isArray(messages)
    ? messages.filter(isProtobufJsonObject).map(messageText)
    : [];
  const end = status === "completed" ? [] : [status.replaceAll("_", " ")];
  const head = [id, createdAt, model, ...end]
    .map((value) => formatTableCell(value ?? null))
    .join("  ");
  return [head, ...said.filter((text) => text !== "")].join("\n\n");
}

function messageText(message: JsonObject): string {
  const role = readStringMemberOrEmpty(message, "role");
  const text = sanitizeTerminalLines(contentText(message["content"]));
  if (role === "assistant") return text;
  const marked = text.replaceAll(/^/gm, "> ");
  return role === "user" ? marked : `${sanitizeTerminalLine(role)}:\n${marked}`;
}

/** What is no text is named. */
function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isProtobufJsonObject).map(partText).join("\n");
}

function partText(part: JsonObject): string {
  const { text, refusal } = part;
  if (typeof text === "string") return text;
  return typeof refusal === "string" ? refusal : `[${readStringMemberOrEmpty(part, "type")}]`;
}
