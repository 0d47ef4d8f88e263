import { chat } from "./chat.ts";
import type { DialectSamples } from "./dialect-samples.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

/** Each dialect by its name in the configuration file. */
export const samplesOf = {
  dialect_chat: chat,
  dialect_messages: messages,
  dialect_responses: responses,
} as const satisfies Record<string, DialectSamples>;

export type DialectName = keyof typeof samplesOf;

export const dialectNames = Object.keys(samplesOf) as DialectName[];
