import { checkResponsesStream } from "../../grammar/responses.ts";
import { checkOpenError } from "../error-shape.ts";
import type { Speech } from "../speech.ts";
import { accumulateResponses } from "./accumulate.ts";
import { readResponses } from "./read.ts";
import { responsesRequest } from "./request.ts";
import { checkResponsesWhole } from "./whole.ts";

/** Responses. */
export const responses: Speech = {
  name: "responses",
  path: "/v1/responses",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: responsesRequest,
  checkWhole: checkResponsesWhole,
  checkStream: checkResponsesStream,
  accumulate: accumulateResponses,
  read: readResponses,
  checkError: checkOpenError,
};
