import { checkResponsesStream } from "../../grammar/responses.ts";
import { checkNestedErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateResponses } from "./accumulate.ts";
import { readResponses } from "./read.ts";
import { responsesRequest } from "./request.ts";
import { checkResponsesResponse } from "./response-shape.ts";

/** Responses. */
export const responses: ConformanceDialect = {
  name: "responses",
  path: "/v1/responses",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: responsesRequest,
  checkWhole: checkResponsesResponse,
  checkStream: checkResponsesStream,
  accumulate: accumulateResponses,
  read: readResponses,
  checkError: checkNestedErrorShape,
};
