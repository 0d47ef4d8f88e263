import type { DialectCodec } from "../codec.ts";
import { neutralResponseToEvents } from "../neutral-response.ts";
import { decodeResponsesResponse } from "./decode-response.ts";
import { decodeResponsesRequest } from "./decode-request.ts";
import { createResponsesStreamDecoder } from "./decode-stream.ts";
import { encodeResponsesResponse } from "./encode-response.ts";
import { encodeResponsesRequest } from "./encode-request.ts";
import { createResponsesStreamEncoder } from "./encode-stream.ts";
import { listResponsesDroppedResponseCitationPaths } from "./dropped-citations.ts";

/** Responses, read and written. */
export const responsesCodec: DialectCodec = {
  dialect: "dialect_responses",
  decodeRequest: decodeResponsesRequest,
  encodeRequest: encodeResponsesRequest,
  decodeResponse: (body) => neutralResponseToEvents(decodeResponsesResponse(body)),
  lostInResponse: listResponsesDroppedResponseCitationPaths,
  encodeResponse: encodeResponsesResponse,
  decodeStream: ({ countKept }) => createResponsesStreamDecoder(countKept),
  encodeStream: createResponsesStreamEncoder,
};
