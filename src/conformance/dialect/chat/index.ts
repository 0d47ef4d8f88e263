import { checkChatStream } from "../../grammar/chat.ts";
import { checkOpenAiErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateChatStream } from "./accumulate.ts";
import { readConformanceChatResponse } from "./read.ts";
import { buildChatCaseRequest } from "./request.ts";
import { checkChatResponse } from "./response-shape.ts";

/** Chat completions. */
export const chatConformanceDialect: ConformanceDialect = {
  name: "chat",
  path: "/v1/chat/completions",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: buildChatCaseRequest,
  checkWhole: checkChatResponse,
  checkStream: checkChatStream,
  accumulate: accumulateChatStream,
  read: readConformanceChatResponse,
  checkError: checkOpenAiErrorShape,
};
