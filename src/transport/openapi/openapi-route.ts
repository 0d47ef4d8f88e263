import type { FastifyInstance } from "fastify";
import {
  sendBodyWithEntityTag,
  createBodyWithEntityTag,
  type BodyWithEntityTag,
} from "../docs/tagged-body.ts";
import type { OpenApiDocument } from "./document-types.ts";

/**
 * `GET /openapi.json`, with a strong entity tag. The document is built when it
 * is first asked for, so `build` may use an address that is known only after
 * listening.
 */
export function registerOpenApiRoute(app: FastifyInstance, build: () => OpenApiDocument): void {
  let body: BodyWithEntityTag | undefined;
  app.get("/openapi.json", (request, reply) => {
    body ??= createBodyWithEntityTag(JSON.stringify(build()));
    return sendBodyWithEntityTag(request, reply.type("application/json; charset=utf-8"), body);
  });
}
