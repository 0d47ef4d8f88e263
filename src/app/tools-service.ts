import { isIP } from "node:net";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { AddressRateLimiter } from "../platform/rate-limit/address-limit.ts";
import { createRpcPipeline } from "../transport/interceptors/rpc-pipeline.ts";
import { mountMcp } from "../transport/mcp/mount.ts";
import { createReflectionServices } from "../transport/reflection/reflection-services.ts";
import { depshealthServiceDescriptors } from "../contract/services.ts";
import type { SharedResources } from "./foundation.ts";
import { startHttpService, type HttpService } from "./http/http-service.ts";
import { registerApiDocsRoutes } from "./http/api-docs.ts";
import type { ServicePublicUrl } from "./start/public-address.ts";
import type { AccountModule } from "./wiring/wire-accounts.ts";
import type { DepshealthModule } from "./wiring/wire-tools.ts";

export interface DepshealthHttpServiceDependencies {
  readonly address: ServicePublicUrl;
  readonly accounts: AccountModule;
  readonly tools: DepshealthModule;
}

/** Version of the interface. */
const interfaceVersion = "0.1.1";

const instructions =
  "Says whether packages are maintained, deprecated or replaced, which advisories hit a version, " +
  "and until when runtimes are supported. Ask before a dependency is added, pinned or upgraded.";

/** The dependency-health service on its port: the contract, its tools over MCP, the documentation. */
export function startDepshealthHttpService(
  foundation: SharedResources,
  { address, accounts, tools }: DepshealthHttpServiceDependencies,
): Promise<HttpService> {
  const { configuration, storage, validator } = foundation;
  const addressLimit = createAddressLimit(foundation);
  const pipeline = createRpcPipeline({
    docUrl: address.docUrl,
    load: foundation.load,
    authenticator: accounts.authenticator,
    validator,
    translateError: toDatabaseUnavailableError,
    idempotencyStore: undefined,
    forkEntityManager: () => storage.database.fork(),
    waitForChanges: undefined,
    streams: undefined,
    addressLimit,
    bodies: foundation.bodyMemory,
  });
  return startHttpService({
    ...foundation,
    name: "tools",
    address,
    pipeline,
    checks: { database: () => storage.database.isReachable() },
    services: [...tools.services, ...createReflectionServices(depshealthServiceDescriptors)],
    register: (app, front) => {
      mountMcp(app, {
        services: tools.services,
        pipeline,
        load: foundation.load,
        addressLimit,
        bodies: foundation.bodyMemory,
        info: { name: "causeway", title: "Causeway dependency health", version: interfaceVersion },
        instructions,
        hosts: localHostNames(configuration),
        shutdownSignal: front.deadline,
      });
      registerApiDocsRoutes(app, configuration, {
        title: "Causeway dependency health",
        description: "Whether packages are maintained and runtimes supported.",
        version: interfaceVersion,
        address,
        publicUrl: configuration.toolsPublicUrl,
        services: depshealthServiceDescriptors,
        handWritten: [],
        root: {
          places: [],
          hint: "MCP clients take the address of this page with mcp at its end.",
        },
      });
    },
  });
}

function createAddressLimit({
  configuration,
  requestLimiters,
}: SharedResources): AddressRateLimiter {
  const { toolsRequestsPerMinute, toolsBurst } = configuration.limits;
  return new AddressRateLimiter(requestLimiters.addresses, {
    requestsPerMinute: toolsRequestsPerMinute,
    burst: toolsBurst,
  });
}

/** Names that the operator has given the server. */
function localHostNames({ host, toolsPublicUrl }: Configuration): string[] {
  const publicName = toolsPublicUrl === undefined ? [] : [new URL(toolsPublicUrl).hostname];
  return isIP(host) === 0 ? [host, ...publicName] : publicName;
}
