import type { DialectCodec } from "../codec.ts";
import { neutralResponseToEvents } from "../neutral-response.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeRequest } from "./decode-request.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { listDroppedResponseCitationPaths } from "./dropped-citations.ts";

/** Responses, read and written. */
export const responsesCodec: DialectCodec = {
  dialect: "dialect_responses",
  decodeRequest,
  encodeRequest,
  decodeResponse: (body) => neutralResponseToEvents(decodeResponse(body)),
  lostInResponse: listDroppedResponseCitationPaths,
  encodeResponse,
  decodeStream: ({ countKept }) => createStreamDecoder(countKept),
  encodeStream: createStreamEncoder,
};
