import { chatTraffic } from "./chat-traffic.ts";
import { messagesTraffic } from "./messages-traffic.ts";
import type { DialectTraffic } from "./traffic.ts";

/** The dialects that the mock upstream speaks. */
export const dialects = { chat: chatTraffic, messages: messagesTraffic } satisfies Readonly<
  Record<string, DialectTraffic>
>;

export type DialectName = keyof typeof dialects;
