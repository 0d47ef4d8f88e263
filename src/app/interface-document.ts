import type { DescService } from "@bufbuild/protobuf";
import type { FastifyInstance } from "fastify";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { registerDocsRoutes } from "../transport/docs/docs-routes.ts";
import type { OperationGroup } from "../transport/openapi/described-operation.ts";
import { openApiDocument } from "../transport/openapi/document.ts";
import { registerOpenApiRoute } from "../transport/openapi/openapi-route.ts";
import { ordinaryBodyBytes } from "../transport/body-limit.ts";
import { largeBodyBytes } from "./large-body-bytes.ts";
import { packageVersion } from "./package-version.ts";

export interface InterfaceDocumentOptions {
  readonly title: string;
  readonly description: string;
  /** Of the interface; that of the program if absent. */
  readonly version?: string;
  /** As configured; undefined: addresses are relative to where the document was fetched. */
  readonly publicUrl: string | undefined;
  readonly services: readonly DescService[];
  readonly handWritten: readonly OperationGroup[];
}

/** Publishes the interface of a port: `/openapi.json`, the pages that render it, `/docs/errors`. */
export function publishInterface(
  app: FastifyInstance,
  { limits }: Configuration,
  { title, description, version, publicUrl, services, handWritten }: InterfaceDocumentOptions,
): void {
  registerDocsRoutes(app, { title });
  registerOpenApiRoute(app, () =>
    openApiDocument({
      info: { title, description, version: version ?? packageVersion() },
      serverUrl: publicUrl,
      services,
      handWritten,
      bodyLimits: { ordinaryBytes: ordinaryBodyBytes, largeBytes: largeBodyBytes({ limits }) },
    }),
  );
}
