import { checkResponsesStream } from "../../grammar/responses.ts";
import { checkNestedErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateResponsesStream } from "./accumulate.ts";
import { readResponsesResponse } from "./read.ts";
import { buildResponsesRequest } from "./request.ts";
import { checkResponsesResponse } from "./response-shape.ts";

/** Responses. */
export const responsesDialect: ConformanceDialect = {
  name: "responses",
  path: "/v1/responses",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: buildResponsesRequest,
  checkWhole: checkResponsesResponse,
  checkStream: checkResponsesStream,
  accumulate: accumulateResponsesStream,
  read: readResponsesResponse,
  checkError: checkNestedErrorShape,
};
