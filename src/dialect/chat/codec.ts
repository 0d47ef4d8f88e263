import type { Codec } from "../codec.ts";
import { startSteps } from "../step-machine.ts";
import { responseToEvents } from "../neutral-response.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeStream } from "./encode-stream.ts";
import { droppedCitations } from "./dropped-citations.ts";

/** Chat completions, read and written. */
export const chatCodec: Codec = {
  dialect: "dialect_chat",
  decodeRequest,
  encodeRequest,
  decodeResponse: (body, context) => responseToEvents(decodeResponse(body, context)),
  lostInResponse: droppedCitations,
  encodeResponse,
  decodeStream: (context) => startSteps(decodeStream(context)),
  encodeStream,
};
