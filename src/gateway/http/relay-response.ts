import type { FastifyReply } from "fastify";
import type { RelayableResponse } from "../pass-through/pass-through-response.ts";

/** Sends an upstream's answer on as it is; no proxy is to hold it back, it may be a stream. */
export function relayUpstreamResponse(
  reply: FastifyReply,
  { status, contentType, body }: RelayableResponse,
): FastifyReply {
  return reply
    .code(status)
    .headers({ "content-type": contentType, "cache-control": "no-cache, no-transform" })
    .send(body);
}

/** Aborted when the caller is gone, or has its answer. */
export function createDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}
