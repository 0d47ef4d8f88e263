import { checkMessagesStream } from "../../grammar/messages.ts";
import { checkMessagesErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateMessagesStream } from "./accumulate.ts";
import { readMessagesResponse } from "./read.ts";
import { buildMessagesRequest } from "./request.ts";
import { checkMessagesResponse } from "./response-shape.ts";

/** Messages. Clients of before 1.0 send the key in `x-api-key`, newer ones as a bearer token. */
export const messagesDialect: ConformanceDialect = {
  name: "messages",
  path: "/v1/messages",
  flushesAtEnd: false,
  requestIdHeader: "request-id",
  credentials: (key) => ({
    "x-api-key": key,
    authorization: `Bearer ${key}`,
    "anthropic-version": "2023-06-01",
  }),
  request: buildMessagesRequest,
  checkWhole: checkMessagesResponse,
  checkStream: checkMessagesStream,
  accumulate: accumulateMessagesStream,
  read: readMessagesResponse,
  checkError: checkMessagesErrorShape,
};
