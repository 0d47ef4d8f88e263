import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../entity-tag.ts";

/**
 * A body that is sent many times, with the strong entity tag of its bytes. It is sent as bytes:
 * all answers share them, where each would hold a copy of a text until its caller has read it.
 */
export interface BodyWithEntityTag {
  readonly bytes: Buffer;
  readonly tag: string;
}

export function createBodyWithEntityTag(text: string): BodyWithEntityTag {
  const bytes = Buffer.from(text);
  const hash = createHash("sha256").update(bytes).digest("base64url");
  return { bytes, tag: `"${hash}"` };
}

/** Sends the body, or 304 without one to a caller that has it already (RFC 9110, 13.1.2). */
export function sendBodyWithEntityTag(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, tag }: BodyWithEntityTag,
): FastifyReply {
  void reply.header("etag", tag).header("cache-control", "no-cache");
  return matchesEntityTag(request.headers["if-none-match"], tag)
    ? reply.code(304).send()
    : reply.send(bytes);
}
