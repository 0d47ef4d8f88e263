import { createContextKey, type HandlerContext } from "@connectrpc/connect";

/**
 * Headers and trailers of the answer as the protocol prepared them: content type,
 * compression, status trailer.
 */
export type AnswerMetadata = Pick<HandlerContext, "responseHeader" | "responseTrailer">;

/**
 * Set by the request gate. An interceptor that answers without the handler must
 * answer with these: headers of its own would take the protocol's away.
 */
export const answerMetadataKey = createContextKey<AnswerMetadata | undefined>(undefined, {
  description: "answer metadata",
});
