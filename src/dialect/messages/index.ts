import type { DialectOperation } from "../dialect-surface.ts";
import { serializeMessagesError, serializeStreamError, toMessagesErrorCode } from "./error.ts";
import { buildMessagesRateLimitHeaders } from "./limit-headers.ts";
import {
  buildOmittedEndFrames,
  isCompleteWithoutEndSignal,
  classifyStreamLine,
} from "./stream-end.ts";

/** Messages. It has a ping event of its own for keep-alives. */
export const messagesDialectOperation: DialectOperation = {
  dialect: "dialect_messages",
  operation: "createMessage",
  path: "/messages",
  isConversation: true,
  shownErrorCode: toMessagesErrorCode,
  serializeError: serializeMessagesError,
  serializeStreamError,
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  readLine: classifyStreamLine,
  isComplete: isCompleteWithoutEndSignal,
  closingFrames: buildOmittedEndFrames,
  rateLimitHeaders: buildMessagesRateLimitHeaders,
};
