import type { FastifyInstance } from "fastify";
import { buildHtmlHeaders } from "./html-headers.ts";
import { renderRootPage, type RootPageContent } from "./root-page.ts";
import { prefersHtml } from "./prefers-html.ts";

export interface ServerRootPageOptions extends RootPageContent {
  readonly name: string;
  /** Public address of the port, known once it listens. */
  readonly url: () => string;
}

/** `GET /`: a page for browsers, for others what is served here and where it is described. */
export function registerRootRoute(app: FastifyInstance, options: ServerRootPageOptions): void {
  const { name, version, url } = options;
  const text = renderRootPage(options);
  const headers = buildHtmlHeaders(text);
  const page = Buffer.from(text);
  app.get("/", (request, reply) => {
    void reply.header("vary", "accept");
    if (prefersHtml(request.headers.accept)) return reply.headers(headers).send(page);
    const described = { docs: `${url()}/docs`, openapi: `${url()}/openapi.json` };
    return reply.header("cache-control", "no-cache").send({ name, version, ...described });
  });
}
