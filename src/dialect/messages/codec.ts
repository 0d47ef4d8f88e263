import type { Codec } from "../codec.ts";
import { startSteps } from "../step-machine.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeStream } from "./encode-stream.ts";
import { droppedCitations } from "./dropped-citations.ts";

/** The messages dialect, read and written. */
export const messagesCodec: Codec = {
  dialect: "dialect_messages",
  decodeRequest,
  encodeRequest,
  decodeResponse,
  lostInResponse: droppedCitations,
  encodeResponse,
  decodeStream: ({ countKept }) => startSteps(decodeStream(countKept)),
  encodeStream,
};
