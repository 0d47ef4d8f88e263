import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import {
  createDepshealthRpc,
  type DepshealthRpcDependencies,
} from "../../depshealth/depshealth.rpc.ts";
import { readNpmRegistrySettings } from "../../depshealth/ecosystem/npm-configuration.ts";
import { EolSource } from "../../depshealth/eol/eol-source.ts";
import { DatabaseDocumentStore } from "../../depshealth/fetch/document-store.ts";
import type { SourceClientFactory } from "../../depshealth/fetch/source-clients.ts";
import { buildUserAgent } from "../../depshealth/fetch/user-agent.ts";
import { createPackageFactsComponents } from "../../depshealth/open-package-facts.ts";
import { resolveConfigurableSourceAddress } from "../../depshealth/source/source-addresses.ts";
import { CallerTaskContextRecorder } from "../../depshealth/task-context/task-context-log.ts";
import { deleteOldTaskContexts } from "../../depshealth/task-context/task-contexts.ts";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { Foundation } from "../foundation.ts";
import { readPackageVersion } from "../package-version.ts";

export interface ToolsWiring {
  readonly services: readonly MountedService[];
  /** Starts what runs now and then. */
  start(): void;
  /** Writes what is pending and waits for what runs. */
  close(): Promise<void>;
}

const housekeepingMs = 60 * 60_000;

/** Builds the dependency-health domain: the sources with their cache, the dataset, the three tools. */
export function wireDepshealth(foundation: Foundation): ToolsWiring {
  const { configuration, storage, dialer, clock, log, environment } = foundation;
  const fork = () => storage.database.fork();
  const store = new DatabaseDocumentStore(fork, log);
  const facts = createPackageFactsComponents({
    dialer,
    store,
    clock,
    log,
    packageSources: configuration.packageSources,
    npmRegistries: readNpmRegistrySettings(environment),
    userAgent: buildUserAgent({
      version: readPackageVersion(),
      publicUrl: configuration.toolsPublicUrl,
      mailFrom: configuration.mail?.from,
    }),
  });
  const taskContexts = configuration.keepsTaskContexts
    ? new CallerTaskContextRecorder({ fork, clock, log })
    : undefined;
  const implementation = createDepshealthRpc({
    facts: facts.facts,
    ...eolSources(facts.clients, configuration, clock),
    clock,
    taskContexts,
  });
  const background = new BackgroundTasks(log);
  const clean = async () => {
    await store.deleteExpired(clock.now());
    await deleteOldTaskContexts(fork(), clock.now());
  };
  let housekeeping: NodeJS.Timeout | undefined;
  return {
    services: [bindServiceImplementation(DepshealthService, implementation)],
    start: () => {
      housekeeping = setInterval(() => {
        void background.run("housekeeping of the tools", clean);
      }, housekeepingMs).unref();
    },
    close: async () => {
      clearInterval(housekeeping);
      await background.waitForAll();
      await Promise.all([taskContexts?.flush(), facts.close()]);
    },
  };
}

/** What `runtime_eol` answers from; verdicts on packages only where its source is on. */
function eolSources(
  clients: SourceClientFactory,
  { packageSources }: Configuration,
  clock: Clock,
): Pick<DepshealthRpcDependencies, "eol" | "runtimes"> {
  const address = resolveConfigurableSourceAddress("endoflife", packageSources.sources);
  const client = address && clients.create("endoflife", "endoflife", address);
  const runtimes = new EolSource({ client, clock });
  return { eol: address && runtimes, runtimes };
}
