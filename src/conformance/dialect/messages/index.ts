import { checkMessagesStream } from "../../grammar/messages.ts";
import { checkMessagesErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateMessagesStream } from "./accumulate.ts";
import { readConformanceMessagesResponse } from "./read.ts";
import { buildMessagesCaseRequest } from "./request.ts";
import { checkMessagesResponse } from "./response-shape.ts";

/** Messages. Clients of before 1.0 send the key in `x-api-key`, newer ones as a bearer token. */
export const messagesConformanceDialect: ConformanceDialect = {
  name: "messages",
  path: "/v1/messages",
  flushesAtEnd: false,
  requestIdHeader: "request-id",
  credentials: (key) => ({
    "x-api-key": key,
    authorization: `Bearer ${key}`,
    "anthropic-version": "2023-06-01",
  }),
  request: buildMessagesCaseRequest,
  checkWhole: checkMessagesResponse,
  checkStream: checkMessagesStream,
  accumulate: accumulateMessagesStream,
  read: readConformanceMessagesResponse,
  checkError: checkMessagesErrorShape,
};
