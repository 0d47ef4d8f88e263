import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Which pages of other origins may call, and what. */
export interface CorsRules {
  /** Exact origins, as browsers send them. Empty: no page of another origin may. */
  readonly origins: readonly string[];
  /** Headers of answers that these pages may read, beside those that every page may. */
  readonly exposedHeaders: readonly string[];
  /** Whether they may make a request at all. */
  isOpen(method: string, path: string): boolean;
}

/** Seconds for which a browser remembers what it was told before a call. */
const maxAge = "600";

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";

/**
 * The server's half of the CORS protocol (Fetch standard, 3.2). No page sends cookies
 * along: it calls with a key of its own. Headers are set beside Fastify, because some
 * answers are written past it. Register it before whatever refuses unknown paths.
 */
export function registerCors(app: FastifyInstance, rules: CorsRules): void {
  if (rules.origins.length === 0) return;
  const origins = new Set(rules.origins);
  const exposed = rules.exposedHeaders.join(", ");
  app.addHook("onRequest", (request, reply, done) => {
    const { origin } = request.headers;
    if (isCached(request)) reply.raw.setHeader("vary", "origin");
    if (origin === undefined || !origins.has(origin) || !isOpen(rules, request)) {
      done();
      return;
    }
    reply.raw.setHeader("vary", "origin").setHeader("access-control-allow-origin", origin);
    if (isPreflight(request)) {
      answerPreflight(request, reply);
      return;
    }
    reply.raw.setHeader("access-control-expose-headers", exposed);
    done();
  });
}

/** What a cache keeps for a caller that is no page must not be given to one. */
function isCached({ method }: FastifyRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** A preflight is about the request that follows it. */
function isOpen(rules: CorsRules, request: FastifyRequest): boolean {
  const { method, headers, url } = request;
  const asked = isPreflight(request) ? headers["access-control-request-method"] : method;
  const [path = ""] = url.split("?", 1);
  return rules.isOpen(asked ?? "", path);
}

/** Which headers a page sends is its own matter: the call itself reads those that it knows. */
function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  const asked = headers["access-control-request-headers"];
  reply.raw
    .setHeader("vary", "origin, access-control-request-headers")
    .setHeader("access-control-allow-methods", methods)
    .setHeader("access-control-max-age", maxAge);
  if (asked !== undefined) reply.raw.setHeader("access-control-allow-headers", asked);
  void reply.code(204).send();
}
