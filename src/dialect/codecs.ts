import type { Dialect } from "../platform/configuration/configuration.ts";
import { chatCodec } from "./chat/codec.ts";
import type { Codec } from "./codec.ts";
import { messagesCodec } from "./messages/codec.ts";
import { responsesCodec } from "./responses/codec.ts";

const codecs: Readonly<Record<Dialect, Codec>> = {
  dialect_chat: chatCodec,
  dialect_messages: messagesCodec,
  dialect_responses: responsesCodec,
};

/** The codec of a dialect. */
export function getCodec(dialect: Dialect): Codec {
  return codecs[dialect];
}
