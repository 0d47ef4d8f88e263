import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isHeld } from "../entity-tag.ts";

/** A body that is sent many times, with the strong entity tag of its bytes. */
export interface TaggedBody {
  readonly text: string;
  readonly tag: string;
}

export function taggedBody(text: string): TaggedBody {
  const hash = createHash("sha256").update(text).digest("base64url");
  return { text, tag: `"${hash}"` };
}

/** Sends the body, or 304 without one to a caller that has it already (RFC 9110, 13.1.2). */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, tag }: TaggedBody,
): FastifyReply {
  void reply.header("etag", tag).header("cache-control", "no-cache");
  return isHeld(request.headers["if-none-match"], tag) ? reply.code(304).send() : reply.send(text);
}
