import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import {
  createDepshealthRpc,
  type DepshealthRpcDependencies,
} from "../../depshealth/depshealth.rpc.ts";
import { readNpmRegistrySettings } from "../../depshealth/ecosystem/npm-configuration.ts";
import { EolDatasetLoader } from "../../depshealth/eol/eol-source.ts";
import { PostgresDataSourceDocumentStore } from "../../depshealth/fetch/document-store.ts";
import type { DataSourceClientFactory } from "../../depshealth/fetch/source-clients.ts";
import { buildDataSourceUserAgent } from "../../depshealth/fetch/user-agent.ts";
import { createPackageFactsComponents } from "../../depshealth/open-package-facts.ts";
import { resolveDataSourceAddress } from "../../depshealth/source/source-addresses.ts";
import { CallerTaskContextRecorder } from "../../depshealth/task-context/task-context-log.ts";
import { deleteOldTaskContexts } from "../../depshealth/task-context/task-contexts.ts";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import { monotonicClock, type Clock } from "../../platform/clock.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";
import { readPackageVersion } from "../package-version.ts";

export interface DepshealthModule {
  readonly services: readonly MountedService[];
  /** Starts what runs now and then. */
  start(): void;
  /** Writes what is pending and waits for what runs. */
  close(): Promise<void>;
}

const housekeepingMs = 60 * 60_000;

/** Builds the dependency-health domain: the sources with their cache, the dataset, the three tools. */
export function createDepshealthModule(foundation: SharedResources): DepshealthModule {
  const { configuration, storage, dialer, clock, log, environment } = foundation;
  const fork = () => storage.database.fork();
  const store = new PostgresDataSourceDocumentStore(fork, log);
  const facts = createPackageFactsComponents({
    dialer,
    store,
    clock,
    throttleClock: monotonicClock,
    log,
    packageSources: configuration.packageSources,
    npmRegistries: readNpmRegistrySettings(environment),
    userAgent: buildDataSourceUserAgent({
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
  clients: DataSourceClientFactory,
  { packageSources }: Configuration,
  clock: Clock,
): Pick<DepshealthRpcDependencies, "eol" | "runtimes"> {
  const address = resolveDataSourceAddress("endoflife", packageSources.sources);
  const client = address && clients.create("endoflife", "endoflife", address);
  const runtimes = new EolDatasetLoader({ client, clock });
  return { eol: address && runtimes, runtimes };
}
