import type { DialectOperation } from "../dialect-surface.ts";
import { serializeOpenAiError, toOpenAiErrorCode } from "../nested-error.ts";
import { buildRequestRateLimitHeaders } from "../request-limit-headers.ts";
import { serializeResponsesStreamError } from "./error.ts";
import { isCompleteWithoutEndSignal, classifyResponsesStreamLine } from "./stream-end.ts";

/** Responses. Keep-alives are comments: its client throws on an unknown event. */
export const responsesDialectOperation: DialectOperation = {
  dialect: "dialect_responses",
  operation: "createResponse",
  path: "/responses",
  isConversation: true,
  shownErrorCode: toOpenAiErrorCode,
  serializeError: serializeOpenAiError,
  serializeStreamError: serializeResponsesStreamError,
  keepAlive: ": keep-alive\n\n",
  readLine: classifyResponsesStreamLine,
  isComplete: isCompleteWithoutEndSignal,
  closingFrames: () => "",
  rateLimitHeaders: buildRequestRateLimitHeaders,
};
