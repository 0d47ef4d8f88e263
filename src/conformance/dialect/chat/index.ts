import { checkChatStream } from "../../grammar/chat.ts";
import { checkNestedErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateChatStream } from "./accumulate.ts";
import { readChatResponse } from "./read.ts";
import { buildChatRequest } from "./request.ts";
import { checkChatResponse } from "./response-shape.ts";

/** Chat completions. */
export const chatDialect: ConformanceDialect = {
  name: "chat",
  path: "/v1/chat/completions",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: buildChatRequest,
  checkWhole: checkChatResponse,
  checkStream: checkChatStream,
  accumulate: accumulateChatStream,
  read: readChatResponse,
  checkError: checkNestedErrorShape,
};
