import type { DialectCodec } from "../codec.ts";
import { startStreamTransform } from "../step-machine.ts";
import { decodeMessagesResponse } from "./decode-response.ts";
import { decodeMessagesRequest } from "./decode-request.ts";
import { createMessagesStreamDecoder } from "./decode-stream.ts";
import { encodeMessagesResponse } from "./encode-response.ts";
import { encodeMessagesRequest } from "./encode-request.ts";
import { createMessagesStreamEncoder } from "./encode-stream.ts";
import { listMessagesDroppedResponseCitationPaths } from "./dropped-citations.ts";

/** The messages dialect, read and written. */
export const messagesCodec: DialectCodec = {
  dialect: "dialect_messages",
  decodeRequest: decodeMessagesRequest,
  encodeRequest: encodeMessagesRequest,
  decodeResponse: decodeMessagesResponse,
  lostInResponse: listMessagesDroppedResponseCitationPaths,
  encodeResponse: encodeMessagesResponse,
  decodeStream: ({ countKept }) => startStreamTransform(createMessagesStreamDecoder(countKept)),
  encodeStream: createMessagesStreamEncoder,
};
