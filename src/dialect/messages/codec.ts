import type { DialectCodec } from "../codec.ts";
import { startStreamTransform } from "../step-machine.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeRequest } from "./decode-request.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { listDroppedResponseCitationPaths } from "./dropped-citations.ts";

/** The messages dialect, read and written. */
export const messagesCodec: DialectCodec = {
  dialect: "dialect_messages",
  decodeRequest,
  encodeRequest,
  decodeResponse,
  lostInResponse: listDroppedResponseCitationPaths,
  encodeResponse,
  decodeStream: ({ countKept }) => startStreamTransform(createStreamDecoder(countKept)),
  encodeStream: createStreamEncoder,
};
