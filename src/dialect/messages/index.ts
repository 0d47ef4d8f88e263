import type { DialectSurface } from "../dialect-surface.ts";
import { printMessagesError, printStreamErrorFrame } from "./error.ts";
import { messagesLimitHeaders } from "./limit-headers.ts";
import { closeAnswer, isWholeAnswer, readStreamLine } from "./stream-end.ts";

/** Messages. It has a ping event of its own for keep-alives. */
export const messagesSurface: DialectSurface = {
  dialect: "dialect_messages",
  operation: "createMessage",
  path: "/messages",
  isConversation: true,
  printError: printMessagesError,
  printStreamError: printStreamErrorFrame,
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  readLine: readStreamLine,
  isWhole: isWholeAnswer,
  closing: closeAnswer,
  rateLimitHeaders: messagesLimitHeaders,
};
