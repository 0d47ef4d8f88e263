import type { Codec } from "../codec.ts";
import { stepsOf } from "../step-machine.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeStream } from "./encode-stream.ts";
import { lostSources } from "./lost-sources.ts";

/** The messages dialect, read and written. */
export const messagesCodec: Codec = {
  dialect: "dialect_messages",
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  lostInAnswer: lostSources,
  encodeAnswer,
  decodeStream: () => stepsOf(decodeStream()),
  encodeStream,
};
