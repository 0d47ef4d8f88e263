import type { FastifyInstance } from "fastify";
import { renderErrorsPage } from "./errors-page.ts";
import { buildHtmlHeaders } from "./html-headers.ts";
import { loadReferencePages } from "./reference-pages.ts";
import { sendBodyWithEntityTag } from "./tagged-body.ts";

/**
 * The pages for people: `/docs` renders `/openapi.json` of the same port, and
 * `/docs/errors` explains every error code. Nothing comes from another host.
 */
export function registerDocsRoutes(app: FastifyInstance, { title }: { title: string }): void {
  const page = { title, documentPath: "openapi.json", scriptPath: "docs/js/scalar.js" };
  app.get("/docs", async (_request, reply) => {
    const { html } = await loadReferencePages(page);
    return reply.headers(buildHtmlHeaders(html, { writesStyles: true })).send(html);
  });
  // The page's own references are relative to `/docs`.
  app.get("/docs/", (_request, reply) => reply.redirect("../docs", 308));
  app.get("/docs/js/scalar.js", async (request, reply) => {
    const { script } = await loadReferencePages(page);
    return sendBodyWithEntityTag(request, reply.type("text/javascript; charset=utf-8"), script);
  });
  const errorsPage = renderErrorsPage();
  const errorsHeaders = buildHtmlHeaders(errorsPage);
  const errors = Buffer.from(errorsPage);
  app.get("/docs/errors", (_request, reply) => reply.headers(errorsHeaders).send(errors));
}
