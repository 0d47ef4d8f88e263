import type { DialectCodec } from "../codec.ts";
import { startStreamTransform } from "../step-machine.ts";
import { neutralResponseToEvents } from "../neutral-response.ts";
import { decodeChatResponse } from "./decode-response.ts";
import { decodeChatRequest } from "./decode-request.ts";
import { createChatStreamDecoder } from "./decode-stream.ts";
import { encodeChatResponse } from "./encode-response.ts";
import { encodeChatRequest } from "./encode-request.ts";
import { createChatStreamEncoder } from "./encode-stream.ts";
import { listChatDroppedResponseCitationPaths } from "./dropped-citations.ts";

/** Chat completions, read and written. */
export const chatCodec: DialectCodec = {
  dialect: "dialect_chat",
  decodeRequest: decodeChatRequest,
  encodeRequest: encodeChatRequest,
  decodeResponse: (body, context) => neutralResponseToEvents(decodeChatResponse(body, context)),
  lostInResponse: listChatDroppedResponseCitationPaths,
  encodeResponse: encodeChatResponse,
  decodeStream: (context) => startStreamTransform(createChatStreamDecoder(context)),
  encodeStream: createChatStreamEncoder,
};
