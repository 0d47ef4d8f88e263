import { checkChatStream } from "../../grammar/chat.ts";
import { checkNestedErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateChat } from "./accumulate.ts";
import { readChat } from "./read.ts";
import { chatRequest } from "./request.ts";
import { checkChatResponse } from "./response-shape.ts";

/** Chat completions. */
export const chat: ConformanceDialect = {
  name: "chat",
  path: "/v1/chat/completions",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: chatRequest,
  checkWhole: checkChatResponse,
  checkStream: checkChatStream,
  accumulate: accumulateChat,
  read: readChat,
  checkError: checkNestedErrorShape,
};
