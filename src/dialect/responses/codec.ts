import type { Codec } from "../codec.ts";
import { answerEvents } from "../turn-answer.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeStream } from "./encode-stream.ts";
import { lostSources } from "./lost-sources.ts";

/** Responses, read and written. */
export const responsesCodec: Codec = {
  dialect: "dialect_responses",
  decodeRequest,
  encodeRequest,
  decodeAnswer: (body) => answerEvents(decodeAnswer(body)),
  lostInAnswer: lostSources,
  encodeAnswer,
  decodeStream,
  encodeStream,
};
