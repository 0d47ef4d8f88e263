import type { DialectSurface } from "../dialect-surface.ts";
import { printNestedError } from "../nested-error.ts";
import { requestLimitHeaders } from "../request-limit-headers.ts";
import { printResponsesStreamError } from "./error.ts";
import { isWholeResponse, readResponsesLine } from "./stream-end.ts";

/** Responses. Keep-alives are comments: its client throws on an unknown event. */
export const responsesSurface: DialectSurface = {
  dialect: "dialect_responses",
  operation: "createResponse",
  path: "/responses",
  isConversation: true,
  printError: printNestedError,
  printStreamError: printResponsesStreamError,
  keepAlive: ": keep-alive\n\n",
  readLine: readResponsesLine,
  isWhole: isWholeResponse,
  closing: () => "",
  rateLimitHeaders: requestLimitHeaders,
};
