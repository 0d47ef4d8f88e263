import { checkChatStream } from "../../grammar/chat.ts";
import { checkOpenError } from "../error-shape.ts";
import type { Speech } from "../speech.ts";
import { accumulateChat } from "./accumulate.ts";
import { readChat } from "./read.ts";
import { chatRequest } from "./request.ts";
import { checkChatWhole } from "./whole.ts";

/** Chat completions. */
export const chat: Speech = {
  name: "chat",
  path: "/v1/chat/completions",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: chatRequest,
  checkWhole: checkChatWhole,
  checkStream: checkChatStream,
  accumulate: accumulateChat,
  read: readChat,
  checkError: checkOpenError,
};
