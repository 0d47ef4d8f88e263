import { readFileSync } from "node:fs";
import type { DescService } from "@bufbuild/protobuf";
import type { FastifyInstance } from "fastify";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { registerDocsRoutes } from "../transport/docs/docs-routes.ts";
import type { OperationGroup } from "../transport/openapi/described-operation.ts";
import { openApiDocument } from "../transport/openapi/document.ts";
import { registerOpenApiRoute } from "../transport/openapi/openapi-route.ts";
import { ordinaryBodyBytes } from "../transport/rest/mount.ts";
import { largeBodyBytes } from "./large-body-bytes.ts";

export interface InterfaceDocumentOptions {
  readonly title: string;
  readonly description: string;
  /** As configured; undefined: addresses are relative to where the document was fetched. */
  readonly publicUrl: string | undefined;
  readonly services: readonly DescService[];
  readonly handWritten: readonly OperationGroup[];
}

/** Publishes the interface of a port: `/openapi.json`, the pages that render it, `/docs/errors`. */
export function publishInterface(
  app: FastifyInstance,
  { limits }: Configuration,
  { title, description, publicUrl, services, handWritten }: InterfaceDocumentOptions,
): void {
  registerDocsRoutes(app, { title });
  registerOpenApiRoute(app, () =>
    openApiDocument({
      info: { title, description, version: packageVersion() },
      serverUrl: publicUrl,
      services,
      handWritten,
      bodyLimits: { ordinaryBytes: ordinaryBodyBytes, largeBytes: largeBodyBytes({ limits }) },
    }),
  );
}

function packageVersion(): string {
  const path = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
