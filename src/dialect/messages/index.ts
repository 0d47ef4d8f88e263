import type { DialectSurface } from "../dialect-surface.ts";
import { printMessagesError, printMessagesStreamError } from "./error.ts";
import { messagesLimitHeaders } from "./limit-headers.ts";
import { closeMessage, isWholeMessage, readMessagesLine } from "./stream-end.ts";

/** Messages. It has a ping event of its own for keep-alives. */
export const messagesSurface: DialectSurface = {
  dialect: "dialect_messages",
  operation: "createMessage",
  path: "/messages",
  isConversation: true,
  printError: printMessagesError,
  printStreamError: printMessagesStreamError,
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  readLine: readMessagesLine,
  isWhole: isWholeMessage,
  closing: closeMessage,
  rateLimitHeaders: messagesLimitHeaders,
};
