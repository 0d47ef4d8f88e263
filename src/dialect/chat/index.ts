import type { DialectSurface } from "../dialect-surface.ts";
import { printNestedError } from "../nested-error.ts";
import { requestLimitHeaders } from "../request-limit-headers.ts";
import { printStreamErrorFrame } from "./error.ts";
import { closeAnswer, isWholeAnswer, readStreamLine } from "./stream-end.ts";

/** Chat completions. Keep-alives are comments: its client dies of any unknown frame. */
export const chatSurface: DialectSurface = {
  dialect: "dialect_chat",
  operation: "createChatCompletion",
  path: "/chat/completions",
  isConversation: true,
  printError: printNestedError,
  printStreamError: printStreamErrorFrame,
  keepAlive: ": keep-alive\n\n",
  readLine: readStreamLine,
  isWhole: isWholeAnswer,
  closing: closeAnswer,
  rateLimitHeaders: requestLimitHeaders,
};
