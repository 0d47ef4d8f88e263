import type { DialectCodec } from "../codec.ts";
import { startStreamTransform } from "../step-machine.ts";
import { neutralResponseToEvents } from "../neutral-response.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeRequest } from "./decode-request.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { createStreamEncoder } from "./encode-stream.ts";
import { listDroppedResponseCitationPaths } from "./dropped-citations.ts";

/** Chat completions, read and written. */
export const chatCodec: DialectCodec = {
  dialect: "dialect_chat",
  decodeRequest,
  encodeRequest,
  decodeResponse: (body, context) => neutralResponseToEvents(decodeResponse(body, context)),
  lostInResponse: listDroppedResponseCitationPaths,
  encodeResponse,
  decodeStream: (context) => startStreamTransform(createStreamDecoder(context)),
  encodeStream: createStreamEncoder,
};
