import type { DialectOperation } from "../dialect-surface.ts";
import { serializeOpenAiError, toOpenAiErrorCode } from "../nested-error.ts";
import { buildRequestRateLimitHeaders } from "../request-limit-headers.ts";
import { serializeStreamError } from "./error.ts";
import { isCompleteWithoutEndSignal, classifyStreamLine } from "./stream-end.ts";

/** Responses. Keep-alives are comments: its client throws on an unknown event. */
export const responsesDialectOperation: DialectOperation = {
  dialect: "dialect_responses",
  operation: "createResponse",
  path: "/responses",
  isConversation: true,
  shownErrorCode: toOpenAiErrorCode,
  serializeError: serializeOpenAiError,
  serializeStreamError,
  keepAlive: ": keep-alive\n\n",
  readLine: classifyStreamLine,
  isComplete: isCompleteWithoutEndSignal,
  closingFrames: () => "",
  rateLimitHeaders: buildRequestRateLimitHeaders,
};
