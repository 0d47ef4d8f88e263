import type { DialectId } from "../platform/configuration/configuration.ts";
import { chatCodec } from "./chat/codec.ts";
import type { DialectCodec } from "./codec.ts";
import { messagesCodec } from "./messages/codec.ts";
import { responsesCodec } from "./responses/codec.ts";

const codecs: Readonly<Record<DialectId, DialectCodec>> = {
  dialect_chat: chatCodec,
  dialect_messages: messagesCodec,
  dialect_responses: responsesCodec,
};

/** The codec of a dialect. */
export function getDialectCodec(dialect: DialectId): DialectCodec {
  return codecs[dialect];
}
