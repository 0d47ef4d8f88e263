import type { FastifyReply } from "fastify";
import type { PassedAnswer } from "../relay/passed-answer.ts";

/** Sends an upstream's answer on as it is; no proxy is to hold it back, it may be a stream. */
export function passOn(
  reply: FastifyReply,
  { status, contentType, body }: PassedAnswer,
): FastifyReply {
  return reply
    .code(status)
    .headers({ "content-type": contentType, "cache-control": "no-cache, no-transform" })
    .send(body);
}

/** Aborted when the caller is gone, or has its answer. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}
