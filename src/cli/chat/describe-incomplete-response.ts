import { sanitizeTerminalLine } from "../format-cell.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import type { CliChatResponse } from "./run-chat-request.ts";

/** Why an answer is not whole; undefined: it is. */
export function describeIncompleteResponse({ response }: CliChatResponse): string | undefined {
  if (response === undefined) return "cancelled";
  const status = readStringMemberOrEmpty(response, "status");
  if (status === "cancelled") return status;
  if (status !== "incomplete") return undefined;
  const { incomplete_details: details } = response;
  const reason = isProtobufJsonObject(details) ? readStringMemberOrEmpty(details, "reason") : "";
  return `incomplete: ${sanitizeTerminalLine(reason) || "no reason given"}`;
}
