import { checkMessagesStream } from "../../grammar/messages.ts";
import { checkMessagesErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateMessages } from "./accumulate.ts";
import { readMessages } from "./read.ts";
import { messagesRequest } from "./request.ts";
import { checkMessagesResponse } from "./response-shape.ts";

/** Messages. Clients of before 1.0 send the key in `x-api-key`, newer ones as a bearer token. */
export const messages: ConformanceDialect = {
  name: "messages",
  path: "/v1/messages",
  flushesAtEnd: false,
  requestIdHeader: "request-id",
  credentials: (key) => ({
    "x-api-key": key,
    authorization: `Bearer ${key}`,
    "anthropic-version": "2023-06-01",
  }),
  request: messagesRequest,
  checkWhole: checkMessagesResponse,
  checkStream: checkMessagesStream,
  accumulate: accumulateMessages,
  read: readMessages,
  checkError: checkMessagesErrorShape,
};
