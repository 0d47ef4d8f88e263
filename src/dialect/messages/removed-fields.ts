import { invalidRequestError } from "../../platform/errors.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import { asArrayOrEmpty, asObject } from "../json.ts";
import { anthropicVersion2026 } from "./wire.ts";
import { defaultAnthropicVersion } from "../../platform/endpoint/credential-headers.ts";

/**
 * Refuses what version 2026-10-21 of the API took away, as the vendor does: the
 * sampling fields at any value, documents in assistant messages, citations on
 * the text of users. Versions are dates, so later ones are no more lenient.
 */
export function rejectMessagesRemovedFields(
  body: RequestFieldReader,
  version: string | undefined,
): void {
  if (version === undefined || version < anthropicVersion2026) return;
  for (const name of ["temperature", "top_p", "top_k"]) {
    if (body.has(name)) refuse(body.pathOf(name), "Extra inputs are not permitted");
  }
  for (const message of body.objects("messages")) rejectRemovedBlocks(message);
}

function rejectRemovedBlocks(message: RequestFieldReader): void {
  if (!Array.isArray(message.value["content"])) return;
  const { role } = message.value;
  for (const block of message.objects("content")) {
    const { type, citations } = block.value;
    if (role === "assistant" && type === "document") {
      refuse(block.pathOf("type"), "Assistant messages hold no documents");
    }
    if (role === "user" && type === "text" && isFilled(citations)) {
      refuse(block.pathOf("citations"), "Text of a user holds no citations");
    }
  }
}

function isFilled(citations: unknown): boolean {
  return asArrayOrEmpty(citations).length > 0 || asObject(citations) !== undefined;
}

function refuse(path: string, rule: string): never {
  throw invalidRequestError(
    path,
    `${rule} since version ${anthropicVersion2026} of this API. Leave it out, or send \`anthropic-version: ${defaultAnthropicVersion}\`.`,
  );
}
