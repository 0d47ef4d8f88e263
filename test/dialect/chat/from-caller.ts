import { expect } from "vitest";
import {
  type ModelCapabilities,
  unknownModelCapabilities,
} from "../../../src/dialect/capabilities.ts";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type { DialectCodec } from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { transcodeRequest } from "../../../src/dialect/transcode-request.ts";
import { openEnvelope } from "./contexts.ts";
import { chatFaults } from "../../support/strict-upstream/chat/rules.ts";

export interface ChatBody extends JsonObject {
  readonly messages: readonly JsonObject[];
}

/** A caller's body for a chat upstream, which a strict server takes; losses as `path action reason`. */
export function writeFrom(
  from: DialectCodec,
  body: JsonObject,
  capabilities: Partial<ModelCapabilities> = {},
) {
  const { encoded, warnings } = transcodeRequest({
    from,
    to: chatCodec,
    body: { model: "m", ...body },
    model: "lab-1",
    capabilities: { ...unknownModelCapabilities, ...capabilities },
    isStrict: false,
    envelope: openEnvelope,
    headers: { "anthropic-version": "2023-06-01" },
  });
  expect(chatFaults(encoded.body, capabilities.midConversationSystem === "native")).toEqual([]);
  const told = warnings.map(({ path, action, reason }) => `${path} ${action} ${reason}`);
  return { body: encoded.body as ChatBody, recall: encoded.restoreInfo, warnings: told };
}

/** The 400 that names this place. */
export function refusal(param: string): Error {
  return expect.objectContaining({ code: "invalid_request", param }) as Error;
}
