import type { DialectOperation } from "../dialect-surface.ts";
import { serializeOpenAiError, toOpenAiErrorCode } from "../nested-error.ts";
import { buildRequestRateLimitHeaders } from "../request-limit-headers.ts";
import { serializeStreamError } from "./error.ts";
import {
  buildOmittedEndFrames,
  isCompleteWithoutEndSignal,
  classifyStreamLine,
} from "./stream-end.ts";

/** Chat completions. Keep-alives are comments: its client dies of any unknown frame. */
export const chatDialectOperation: DialectOperation = {
  dialect: "dialect_chat",
  operation: "createChatCompletion",
  path: "/chat/completions",
  isConversation: true,
  shownErrorCode: toOpenAiErrorCode,
  serializeError: serializeOpenAiError,
  serializeStreamError,
  keepAlive: ": keep-alive\n\n",
  readLine: classifyStreamLine,
  isComplete: isCompleteWithoutEndSignal,
  closingFrames: buildOmittedEndFrames,
  rateLimitHeaders: buildRequestRateLimitHeaders,
};
