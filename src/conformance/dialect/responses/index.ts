import { checkResponsesStream } from "../../grammar/responses.ts";
import { checkOpenAiErrorShape } from "../error-shape.ts";
import type { ConformanceDialect } from "../conformance-dialect.ts";
import { accumulateResponsesStream } from "./accumulate.ts";
import { readConformanceResponsesResponse } from "./read.ts";
import { buildResponsesCaseRequest } from "./request.ts";
import { checkResponsesResponseBody } from "./response-shape.ts";

/** Responses. */
export const responsesConformanceDialect: ConformanceDialect = {
  name: "responses",
  path: "/v1/responses",
  flushesAtEnd: true,
  requestIdHeader: "x-request-id",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  request: buildResponsesCaseRequest,
  checkWhole: checkResponsesResponseBody,
  checkStream: checkResponsesStream,
  accumulate: accumulateResponsesStream,
  read: readConformanceResponsesResponse,
  checkError: checkOpenAiErrorShape,
};
