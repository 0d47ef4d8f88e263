import type { Codec } from "../codec.ts";
import { responseToEvents } from "../neutral-response.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeStream } from "./encode-stream.ts";
import { droppedCitations } from "./dropped-citations.ts";

/** Responses, read and written. */
export const responsesCodec: Codec = {
  dialect: "dialect_responses",
  decodeRequest,
  encodeRequest,
  decodeResponse: (body) => responseToEvents(decodeResponse(body)),
  lostInResponse: droppedCitations,
  encodeResponse,
  decodeStream: ({ countKept }) => decodeStream(countKept),
  encodeStream,
};
