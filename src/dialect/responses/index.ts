import type { DialectSurface } from "../dialect-surface.ts";
import { printNestedError } from "../nested-error.ts";
import { requestLimitHeaders } from "../request-limit-headers.ts";
import { printStreamErrorFrame } from "./error.ts";
import { isWholeAnswer, readStreamLine } from "./stream-end.ts";

/** Responses. Keep-alives are comments: its client throws on an unknown event. */
export const responsesSurface: DialectSurface = {
  dialect: "dialect_responses",
  operation: "createResponse",
  path: "/responses",
  isConversation: true,
  printError: printNestedError,
  printStreamError: printStreamErrorFrame,
  keepAlive: ": keep-alive\n\n",
  readLine: readStreamLine,
  isWhole: isWholeAnswer,
  closing: () => "",
  rateLimitHeaders: requestLimitHeaders,
};
