import { chat } from "./chat.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import type { DialectName, Wire } from "./dialect-wire.ts";

export const wires: Readonly<Record<DialectName, Wire>> = { chat, messages, responses };

export const dialectNames: readonly DialectName[] = ["chat", "messages", "responses"];
