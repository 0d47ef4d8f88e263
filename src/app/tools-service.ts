import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { createCallPipeline } from "../transport/interceptors/pipeline.ts";
import { reflectionServices } from "../transport/reflection/reflection-services.ts";
import { toolsContract } from "./contract-services.ts";
import type { Foundation } from "./foundation.ts";
import { startHttpService, type HttpService } from "./http-service.ts";
import { publishInterface } from "./interface-document.ts";
import type { PublicAddress } from "./public-address.ts";
import type { AccountWiring } from "./wire-accounts.ts";

export interface ToolsParts {
  readonly address: PublicAddress;
  readonly accounts: AccountWiring;
}

/** The dependency-health service on its port. */
export function startToolsService(
  foundation: Foundation,
  { address, accounts }: ToolsParts,
): Promise<HttpService> {
  const { configuration, storage, validator } = foundation;
  const pipeline = createCallPipeline({
    docUrl: address.docUrl,
    authenticator: accounts.authenticator,
    validator,
    translateError: databaseUnavailable,
    idempotencyStore: undefined,
    forkEntityManager: () => storage.database.fork(),
    changesHeard: undefined,
  });
  return startHttpService({
    ...foundation,
    name: "tools",
    address,
    pipeline,
    checks: { database: () => storage.database.isReachable() },
    services: reflectionServices(toolsContract),
    register: (app) =>
      publishInterface(app, configuration, {
        title: "Causeway dependency health",
        description: "Whether packages are maintained and runtimes supported.",
        publicUrl: configuration.toolsPublicUrl,
        services: toolsContract,
        handWritten: [],
      }),
  });
}
