import { setTimeout as delay } from "node:timers/promises";
import { createInitialOwner, type GeneratedOwnerCredentials } from "../account/first-run.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import type { BoundAddress } from "../transport/front/listen.ts";
import { CleanupStack } from "./cleanup-stack.ts";
import { gatewayServiceDescriptors, depshealthServiceDescriptors } from "../contract/services.ts";
import {
  openSharedResources,
  type SharedResources,
  type SharedResourcesDependencies,
} from "./foundation.ts";
import { forceGarbageCollection } from "../platform/speed/release-memory.ts";
import type { HttpService } from "./http/http-service.ts";
import { ServicePublicUrl } from "./start/public-address.ts";
import type { HttpServiceName } from "./service-name.ts";
import { createAgentToolsModule } from "./wiring/wire-agent-tools.ts";
import { createAgentThreadModule } from "./wiring/wire-agents.ts";
import { createAliasModule } from "./wiring/wire-aliases.ts";
import { createAccountModule, type AccountModule } from "./wiring/wire-accounts.ts";
import { createCallLogModule } from "./wiring/wire-calls.ts";
import { createServiceDocumentModule } from "./wiring/wire-documents.ts";
import { createUpstreamModule } from "./wiring/wire-endpoints.ts";
import { createAgentExtensionsModule } from "./wiring/wire-items.ts";
import { createWalletModule } from "./wiring/wire-wallets.ts";
import { createTurnModule } from "./wiring/wire-turns.ts";
import { createTeamModule } from "./wiring/wire-teams.ts";
import type { DepshealthModule } from "./wiring/wire-tools.ts";

export interface ServerInstanceDependencies extends SharedResourcesDependencies {
  readonly services: readonly HttpServiceName[];
  /**
   * Milliseconds between the first 503 of `/readyz` and the refusal of connections, for
   * load balancers that ask at that moment. Default 250.
   */
  readonly drainNoticeMs?: number;
}

/** A running process: its services, and how it stops. */
export interface ServerInstance {
  readonly services: readonly HttpService[];
  /** What the first start made, in embedded mode. */
  readonly firstOwner: GeneratedOwnerCredentials | undefined;
  /** Operator token of this instance; undefined: the operator API is off. */
  readonly adminToken: string | undefined;
  readonly metrics: Metrics;
  /** Adds addresses on which other processes of this server listen: no call may lead there. */
  blockDialsTo(addresses: readonly BoundAddress[]): void;
  /**
   * Drains and closes everything, the database last. Answers in flight go on
   * for `CAUSEWAY_DRAIN_SECONDS` at most.
   */
  stop(): Promise<void>;
}

/** What only one of the services needs; a process that serves the other alone does not load it. */
const codeOf = {
  gateway: () => import("./gateway-service.ts"),
  tools: () => Promise.all([import("./tools-service.ts"), import("./wiring/wire-tools.ts")]),
};

const contractOf = { gateway: gatewayServiceDescriptors, tools: depshealthServiceDescriptors };

/** Dependency health, opened once for whoever needs it first: its service, or an agent. */
function sharedTools(
  foundation: SharedResources,
  closers: CleanupStack,
): () => Promise<DepshealthModule> {
  let opened: Promise<DepshealthModule> | undefined;
  closers.add(async () => (await opened)?.close());
  return () => {
    opened ??= codeOf.tools().then(([, { createDepshealthModule: wireTools }]) => {
      const tools = wireTools(foundation);
      tools.start();
      return tools;
    });
    return opened;
  };
}

/** Builds the whole process, from the database up, and listens. A failed start closes what it opened. */
export async function startServerInstance(
  dependencies: ServerInstanceDependencies,
): Promise<ServerInstance> {
  const closers = new CleanupStack();
  // Now, because it takes as long as the database does; who needs it sees the failure.
  for (const name of dependencies.services) codeOf[name]().catch(() => undefined);
  try {
    const foundation = await openSharedResources(dependencies, closers);
    const instance = await startServices(dependencies, foundation, closers);
    void finishStart(dependencies, foundation);
    return instance;
  } catch (error) {
    await closers.closeAfterFailure(dependencies.log);
    throw error;
  }
}

/** Done after the start, which would take longer by it. A rule that cannot be compiled fails its callers too. */
async function finishStart(
  { services, log }: ServerInstanceDependencies,
  { validator }: SharedResources,
): Promise<void> {
  try {
    await validator.preload(services.flatMap((name) => contractOf[name]));
  } catch (error) {
    log.error({ err: error }, "a rule of the contract cannot be compiled");
  }
  forceGarbageCollection();
}

async function startServices(
  { services: names, drainNoticeMs = 250 }: ServerInstanceDependencies,
  foundation: SharedResources,
  closers: CleanupStack,
): Promise<ServerInstance> {
  const { configuration, storage, feed, dialer } = foundation;
  const gatewayAddress = new ServicePublicUrl(configuration.publicUrl);
  const toolsAddress = new ServicePublicUrl(configuration.toolsPublicUrl);
  const accounts = await createAccountModule(foundation, gatewayAddress.url);
  closers.add(() => accounts.close());
  const endpoints = createUpstreamModule(foundation, accounts);
  closers.add(() => endpoints.close());
  const aliases = createAliasModule(foundation, endpoints);
  const calls = createCallLogModule(foundation, accounts);
  closers.add(() => calls.close());
  const wallets = createWalletModule(foundation, gatewayAddress, calls);
  closers.add(() => wallets.close());
  const openTools = sharedTools(foundation, closers);
  const items = createAgentExtensionsModule(foundation);
  const agentTools = createAgentToolsModule(foundation, items, openTools);
  closers.add(() => agentTools.close());
  const turns = createTurnModule(foundation, accounts);
  closers.add(() => turns.close());
  const agents = createAgentThreadModule(foundation, accounts, turns);
  const documents = createServiceDocumentModule(foundation);
  closers.add(() => documents.close());
  const teams = createTeamModule(foundation, accounts, gatewayAddress.url);
  await feed.start();
  const start: Readonly<Record<HttpServiceName, () => Promise<HttpService>>> = {
    gateway: async () => {
      const { startGatewayService } = await codeOf.gateway();
      return startGatewayService(foundation, {
        address: gatewayAddress,
        accounts,
        endpoints,
        aliases,
        wallets,
        calls,
        turns,
        agents,
        items,
        agentTools,
        teams,
        documents,
      });
    },
    tools: async () => {
      const [{ startDepshealthHttpService: startToolsService }] = await codeOf.tools();
      const tools = await openTools();
      return startToolsService(foundation, { address: toolsAddress, accounts, tools });
    },
  };
  const services: HttpService[] = [];
  for (const name of names) {
    const service = await start[name]();
    closers.add(() => service.drain(0));
    // An upstream's address may never lead back to us.
    dialer.addListener(service.listening.host, service.listening.port);
    services.push(service);
  }
  const unwatchLoop = foundation.load.start();
  closers.add(async () => unwatchLoop());
  accounts.start();
  wallets.start();
  calls.start();
  turns.start();
  // Last, so that a start that fails does not use up the one time that the key is shown.
  const firstOwner = await firstOwnerOf(foundation, accounts);
  const stop = () =>
    drainAndClose(services, configuration.drainSeconds * 1000, drainNoticeMs, closers);
  return {
    services,
    firstOwner,
    adminToken: storage.adminToken,
    metrics: foundation.metrics,
    blockDialsTo: (addresses) => {
      for (const { host, port } of addresses) dialer.addListener(host, port);
    },
    stop,
  };
}

async function drainAndClose(
  services: readonly HttpService[],
  deadlineMs: number,
  noticeMs: number,
  closers: CleanupStack,
): Promise<void> {
  for (const service of services) service.announceDrain();
  await delay(noticeMs);
  await Promise.all(services.map((service) => service.drain(deadlineMs)));
  await closers.closeAll();
}

/** Only the embedded server gets an owner by itself; nobody else could have made one. */
async function firstOwnerOf(
  { configuration, storage, clock }: SharedResources,
  { hasher }: AccountModule,
): Promise<GeneratedOwnerCredentials | undefined> {
  const { databaseUrl, dataDirectory } = configuration;
  if (databaseUrl !== undefined) return undefined;
  return createInitialOwner(storage.database.fork(), { dataDirectory, hasher, clock });
}
