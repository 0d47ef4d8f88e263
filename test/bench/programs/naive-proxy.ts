/**
 * Baseline: the proxy one writes in an afternoon. Fastify with its JSON parser,
 * fetch, and the answer parsed and written anew; streams as web streams.
 */
import { Readable } from "node:stream";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { announceWhenListening } from "./announce.ts";
import { upstreamOrigins } from "./upstream-origins.ts";

const origins = upstreamOrigins();
const app = fastify({ bodyLimit: 64 * 1024 * 1024 });

async function forward(
  request: FastifyRequest<{ Params: { upstream: string } }>,
  reply: FastifyReply,
): Promise<unknown> {
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  const answer = await fetch(`${origins[request.params.upstream] ?? ""}${request.url}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer upstream" },
    body: JSON.stringify(request.body),
    signal: left.signal,
  });
  reply.status(answer.status).type(answer.headers.get("content-type") ?? "application/json");
  const isStream = answer.headers.get("content-type") === "text/event-stream";
  if (isStream && answer.body !== null) return reply.send(Readable.fromWeb(answer.body));
  return reply.send(await answer.json());
}

app.post("/:upstream/*", forward);
await app.ready();
announceWhenListening(app.server);
