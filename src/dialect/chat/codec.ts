import type { Codec } from "../codec.ts";
import { stepsOf } from "../step-machine.ts";
import { answerEvents } from "../turn-answer.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeStream } from "./encode-stream.ts";
import { lostSources } from "./lost-sources.ts";

/** Chat completions, read and written. */
export const chatCodec: Codec = {
  dialect: "dialect_chat",
  decodeRequest,
  encodeRequest,
  decodeAnswer: (body, context) => answerEvents(decodeAnswer(body, context)),
  lostInAnswer: lostSources,
  encodeAnswer,
  decodeStream: (context) => stepsOf(decodeStream(context)),
  encodeStream,
};
