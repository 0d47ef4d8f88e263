import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { TranscodeService } from "../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import { createTranscodePreviewRpc } from "../gateway/rpc/transcode.rpc.ts";
import { createModelListRpc } from "../gateway/rpc/model.rpc.ts";
import { isResponsesWebSocketUpgrade } from "../gateway/websocket/upgrade-request.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { createRpcPipeline } from "../transport/interceptors/rpc-pipeline.ts";
import { describeStoredResponseOperations } from "../transport/openapi/stored-response-operations.ts";
import { describeModelCallOperations } from "../transport/openapi/model-call-operations.ts";
import { registerServiceReferencePages } from "../transport/docs/service-pages.ts";
import { bindServiceImplementation } from "../transport/mounted-service.ts";
import { createReflectionServices } from "../transport/reflection/reflection-services.ts";
import { gatewayServiceDescriptors } from "../contract/services.ts";
import { createCorsRules } from "./http/cors-rules.ts";
import { createDialectErrorFormats } from "./http/dialect-error-formats.ts";
import type { SharedResources } from "./foundation.ts";
import { startHttpService, type HttpService } from "./http/http-service.ts";
import { registerApiDocsRoutes } from "./http/api-docs.ts";
import { maxModelCallBodyBytes } from "./http/large-body-bytes.ts";
import { registerInvitePage } from "./pages/register-invite-page.ts";
import { registerSignInPage } from "./pages/sign-in-page.ts";
import { mountResponseManagementRoutes } from "./http/mount-response-routes.ts";
import { mountResponsesWebSocket } from "./http/mount-websocket.ts";
import type { ServicePublicUrl } from "./start/public-address.ts";
import type { AgentThreadModule } from "./wiring/wire-agents.ts";
import type { AliasModule } from "./wiring/wire-aliases.ts";
import type { CallLogModule } from "./wiring/wire-calls.ts";
import type { AccountModule } from "./wiring/wire-accounts.ts";
import { findUncallableCreditsEntries } from "./wiring/credits-models.ts";
import {
  createModelResolutionLookups,
  createModelRpcDependencies,
  createCacheOnlyRoutingLookups,
} from "./wiring/wire-models.ts";
import type { TurnModule } from "./wiring/wire-turns.ts";
import type { WalletModule } from "./wiring/wire-wallets.ts";
import { createTranscodingModule } from "./wiring/wire-transcoding.ts";
import { mountModelCallRoutes } from "./wiring/wire-model-calls.ts";
import type { LearnedServiceDocumentModule } from "./wiring/wire-documents.ts";
import type { UpstreamModule } from "./wiring/wire-endpoints.ts";
import type { AgentExtensionsModule } from "./wiring/wire-items.ts";
import type { AgentToolsModule } from "./wiring/wire-agent-tools.ts";
import type { TeamModule } from "./wiring/wire-teams.ts";

export interface GatewayServiceDependencies {
  readonly address: ServicePublicUrl;
  readonly accounts: AccountModule;
  readonly endpoints: UpstreamModule;
  readonly aliases: AliasModule;
  readonly wallets: WalletModule;
  readonly calls: CallLogModule;
  readonly turns: TurnModule;
  readonly agents: AgentThreadModule;
  readonly items: AgentExtensionsModule;
  /** For the turns that agents run. */
  readonly agentTools: AgentToolsModule;
  readonly teams: TeamModule;
  readonly documents: LearnedServiceDocumentModule;
}

/** Said once at the start, where the operator can still mend the file. */
function warnAboutUncallableModels(
  { configuration, log }: SharedResources,
  { catalog: catalogue }: UpstreamModule,
): void {
  for (const unsold of findUncallableCreditsEntries(configuration.credits, catalogue)) {
    log.warn(unsold, "an entry of credits.catalog can be called by nobody");
  }
}

/** The model gateway on its port: the contract, the model routes, the documentation. */
export function startGatewayService(
  foundation: SharedResources,
  dependencies: GatewayServiceDependencies,
): Promise<HttpService> {
  const { configuration, storage, feed, validator } = foundation;
  const { address, accounts, endpoints, aliases, wallets, calls, turns, items, teams } =
    dependencies;
  const { agents, agentTools, documents } = dependencies;
  warnAboutUncallableModels(foundation, endpoints);
  const directories = createModelResolutionLookups(configuration, dependencies);
  const models = createModelRpcDependencies(configuration, dependencies, directories);
  const transcoding = createTranscodingModule(foundation, accounts, turns);
  const changesHeard = () => feed.waitUntilCaughtUp();
  const pipeline = createRpcPipeline({
    docUrl: address.docUrl,
    load: foundation.load,
    authenticator: accounts.authenticator,
    validator,
    translateError: toDatabaseUnavailableError,
    idempotencyStore: accounts.idempotencyStore,
    forkEntityManager: () => storage.database.fork(),
    waitForChanges: changesHeard,
    streams: { ...accounts, waitForChanges: changesHeard, clock: foundation.clock },
    bodies: foundation.bodyMemory,
  });
  return startHttpService({
    ...foundation,
    name: "gateway",
    address,
    pipeline,
    errorFormats: createDialectErrorFormats(address),
    acceptsUpgrade: isResponsesWebSocketUpgrade,
    cors: createCorsRules(configuration.corsOrigins, gatewayServiceDescriptors),
    checks: { database: () => storage.database.isReachable() },
    services: [
      ...accounts.services,
      ...endpoints.services,
      ...aliases.services,
      ...wallets.services,
      ...calls.services,
      ...teams.services,
      ...items.services,
      ...agents.services,
      ...documents.services,
      bindServiceImplementation(
        TranscodeService,
        createTranscodePreviewRpc({
          ...accounts,
          ...transcoding,
          directories: createCacheOnlyRoutingLookups(directories, endpoints),
        }),
      ),
      bindServiceImplementation(ModelService, createModelListRpc(models)),
      ...createReflectionServices(gatewayServiceDescriptors),
    ],
    register: (app, front) => {
      const callParts = {
        address,
        accounts,
        directories,
        models,
        wallets,
        transcoding,
        pooledTargets: endpoints.pooledTargets,
        calls,
        turns,
        agents,
        agentTools,
        items,
      };
      const { routes, observe } = mountModelCallRoutes(app, foundation, callParts);
      mountResponseManagementRoutes(app, foundation, callParts);
      const sockets = mountResponsesWebSocket(app, foundation, callParts, routes.pipeline, observe);
      front.draining.addEventListener("abort", () => sockets.drain());
      front.deadline.addEventListener("abort", () => {
        routes.closeStreams();
        turns.endStreams();
      });
      registerApiDocsRoutes(app, configuration, {
        title: "Causeway gateway",
        description:
          "A model gateway with custom endpoints, linked vendors, caller keys and teams.",
        address,
        publicUrl: configuration.publicUrl,
        services: gatewayServiceDescriptors,
        handWritten: [
          describeModelCallOperations(maxModelCallBodyBytes(configuration)),
          describeStoredResponseOperations(maxModelCallBodyBytes(configuration)),
        ],
        root: {
          places: [{ path: "sign_in", label: "Sign in" }],
          hint: "OpenAI clients take the address of this page with v1 at its end, Anthropic clients as it is.",
        },
      });
      registerServiceReferencePages(app, documents);
      registerSignInPage(app);
      registerInvitePage(app, {
        ...accounts,
        fork: () => storage.database.fork(),
        teams: teams.dependencies,
        clock: foundation.clock,
        publicUrl: address.url,
        bodies: foundation.bodyMemory,
      });
    },
  });
}
