import type { DialectOperation } from "../dialect-surface.ts";
import { serializeOpenAiError, toOpenAiErrorCode } from "../nested-error.ts";
import { buildRequestRateLimitHeaders } from "../request-limit-headers.ts";
import { serializeChatStreamError } from "./error.ts";
import {
  buildChatOmittedEndFrames,
  isCompleteWithoutEndSignal,
  classifyChatStreamLine,
} from "./stream-end.ts";

/** Chat completions. Keep-alives are comments: its client dies of any unknown frame. */
export const chatDialectOperation: DialectOperation = {
  dialect: "dialect_chat",
  operation: "createChatCompletion",
  path: "/chat/completions",
  isConversation: true,
  shownErrorCode: toOpenAiErrorCode,
  serializeError: serializeOpenAiError,
  serializeStreamError: serializeChatStreamError,
  keepAlive: ": keep-alive\n\n",
  readLine: classifyChatStreamLine,
  isComplete: isCompleteWithoutEndSignal,
  closingFrames: buildChatOmittedEndFrames,
  rateLimitHeaders: buildRequestRateLimitHeaders,
};
