import type { Message } from "@bufbuild/protobuf";

/**
 * A message seen through the local names of its fields. Codecs that are compiled
 * from descriptors know these names and the types behind them; the compiler
 * cannot, so this is the one place where the types are given up.
 */
export type ProtoMessageRecord = Record<string, unknown>;

export function asProtoMessageRecord(message: Message): ProtoMessageRecord {
  return message;
}

export function asProtoMessage(value: unknown): Message {
  return value as Message;
}
