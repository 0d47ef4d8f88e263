import type { FastifyInstance } from "fastify";
import { notFoundError } from "../../platform/errors.ts";
import { buildHtmlHeaders } from "./html-headers.ts";
import { loadReferencePages } from "./reference-pages.ts";

export interface ServiceReferencePagesDependencies {
  /** Whether the document of a service is published. */
  readonly isPublished: (serviceId: string) => Promise<boolean>;
}

/** Stands for the id of a service in the page that all of them share. */
const anyService = "SERVICE-ID";

/** What the pages of services have of `/docs`: the same page, the same script, another document. */
const sharedPage = {
  title: `Service ${anyService}`,
  documentPath: `${anyService}.json`,
  scriptPath: "../js/scalar.js",
};

/** `/docs/services/<id>` renders the document of a shipped service; 404 as the document has it. */
export function registerServiceReferencePages(
  app: FastifyInstance,
  { isPublished }: ServiceReferencePagesDependencies,
): void {
  app.get<{ Params: { service_id: string } }>(
    "/docs/services/:service_id",
    async ({ params: { service_id: serviceId } }, reply) => {
      if (!(await isPublished(serviceId))) throw notFoundError("service", "server");
      const { html } = await loadReferencePages(sharedPage);
      const own = html.replaceAll(anyService, serviceId);
      return reply.headers(buildHtmlHeaders(own, { writesStyles: true })).send(own);
    },
  );
}
