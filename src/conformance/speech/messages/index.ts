import { checkMessagesStream } from "../../grammar/messages.ts";
import { checkMessagesError } from "../error-shape.ts";
import type { Speech } from "../speech.ts";
import { accumulateMessages } from "./accumulate.ts";
import { readMessages } from "./read.ts";
import { messagesRequest } from "./request.ts";
import { checkMessagesWhole } from "./whole.ts";

/** Messages. Clients of before 1.0 send the key in `x-api-key`, newer ones as a bearer token. */
export const messages: Speech = {
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
  checkWhole: checkMessagesWhole,
  checkStream: checkMessagesStream,
  accumulate: accumulateMessages,
  read: readMessages,
  checkError: checkMessagesError,
};
