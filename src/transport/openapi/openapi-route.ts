import type { FastifyInstance } from "fastify";
import { sendTagged, createTaggedBody, type TaggedBody } from "../docs/tagged-body.ts";
import type { OpenApiDocument } from "./document-types.ts";

/**
 * `GET /openapi.json`, with a strong entity tag. The document is built when it
 * is first asked for, so `build` may use an address that is known only after
 * listening.
 */
export function registerOpenApiRoute(app: FastifyInstance, build: () => OpenApiDocument): void {
  let body: TaggedBody | undefined;
  app.get("/openapi.json", (request, reply) => {
    body ??= createTaggedBody(JSON.stringify(build()));
    return sendTagged(request, reply.type("application/json; charset=utf-8"), body);
  });
}
