import type { DialectOperation } from "../dialect-surface.ts";
import {
  serializeMessagesError,
  serializeMessagesStreamError,
  selectMessagesErrorCodeField,
} from "./error.ts";
import { buildMessagesRateLimitHeaders } from "./limit-headers.ts";
import {
  buildMessagesOmittedEndFrames,
  isCompleteWithoutEndSignal,
  classifyMessagesStreamLine,
} from "./stream-end.ts";

/** Messages. It has a ping event of its own for keep-alives. */
export const messagesDialectOperation: DialectOperation = {
  dialect: "dialect_messages",
  operation: "createMessage",
  path: "/messages",
  isConversation: true,
  shownErrorCode: selectMessagesErrorCodeField,
  serializeError: serializeMessagesError,
  serializeStreamError: serializeMessagesStreamError,
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  readLine: classifyMessagesStreamLine,
  isComplete: isCompleteWithoutEndSignal,
  closingFrames: buildMessagesOmittedEndFrames,
  rateLimitHeaders: buildMessagesRateLimitHeaders,
};
