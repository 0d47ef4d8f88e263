import type { DescService } from "@bufbuild/protobuf";
import type { FastifyInstance } from "fastify";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import { registerDocsRoutes } from "../../transport/docs/docs-routes.ts";
import type { RootPageContent } from "../../transport/docs/root-page.ts";
import { registerRootRoute } from "../../transport/docs/root-route.ts";
import type { OpenApiOperationGroup } from "../../transport/openapi/described-operation.ts";
import { buildOpenApiDocument } from "../../transport/openapi/document.ts";
import { registerOpenApiRoute } from "../../transport/openapi/openapi-route.ts";
import { maxModelCallBodyBytes } from "./large-body-bytes.ts";
import { readPackageVersion } from "../package-version.ts";
import type { ServicePublicUrl } from "../start/public-address.ts";

export interface ApiDocsOptions {
  readonly title: string;
  readonly description: string;
  /** Of the interface; that of the program if absent. */
  readonly version?: string;
  readonly address: ServicePublicUrl;
  /** As configured; undefined: addresses are relative to where the document was fetched. */
  readonly publicUrl: string | undefined;
  readonly services: readonly DescService[];
  readonly handWritten: readonly OpenApiOperationGroup[];
  /** What the page at `/` leads to beside the documentation. */
  readonly root: Pick<RootPageContent, "places" | "hint">;
}

const documentation = [
  { path: "docs", label: "Documentation of every operation" },
  { path: "docs/errors", label: "What each error means, and what to do" },
  { path: "openapi.json", label: "The same for programs: OpenAPI" },
];

/** Publishes the interface of a port: `/`, `/openapi.json`, the pages that render it, `/docs/errors`. */
export function registerApiDocsRoutes(
  app: FastifyInstance,
  { limits }: Configuration,
  options: ApiDocsOptions,
): void {
  const { title, description, version, address, publicUrl, services, handWritten, root } = options;
  registerRootRoute(app, {
    name: "causeway",
    title,
    version: readPackageVersion(),
    places: [...documentation, ...root.places],
    hint: root.hint,
    url: address.url,
  });
  registerDocsRoutes(app, { title });
  registerOpenApiRoute(app, () =>
    buildOpenApiDocument({
      info: { title, description, version: version ?? readPackageVersion() },
      serverUrl: publicUrl,
      services,
      handWritten,
      bodyLimits: { largeBytes: maxModelCallBodyBytes({ limits }) },
    }),
  );
}
