import { setTimeout as delay } from "node:timers/promises";
import { readConfiguration } from "../platform/configuration/configuration.ts";
import { ConfigurationError } from "../platform/configuration/configuration-error.ts";
import { unknownVariables } from "../platform/configuration/environment.ts";
import { loadInstanceSecrets } from "../platform/configuration/instance-secrets.ts";
import { parseAllowList } from "../platform/dial/allow-list.ts";
import { createLogs, flushLog, type Logger } from "../platform/log.ts";
import type { Instance, InstanceOptions } from "./instance.ts";
import { checkListenAddresses, listenAddressOf } from "./listen-address.ts";
import { reachDatabase } from "./reach-database.ts";
import { servicesNamed } from "./service-name.ts";
import { onStopSignals } from "./signals.ts";

/**
 * `causeway serve [all|gateway|tools]`: starts the services, prints a line per
 * service when it is ready, and drains on SIGTERM and SIGINT. Rejects with a
 * `ConfigurationError` before anything is started.
 */
export async function serve(which: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const services = servicesNamed(which);
  if (services === undefined) {
    throw new ConfigurationError("serve", `"${which}" is no service; say all, gateway or tools`);
  }
  const configuration = readConfiguration(environment);
  const logs = await createLogs(configuration.logLevel);
  const { log } = logs;
  warnOfUnknownVariables(environment, log);
  const starting = start({ configuration, services, ...logs, environment });
  let isStopping = false;
  onStopSignals(
    (signal) => {
      isStopping = true;
      void stop(starting, signal, log);
    },
    () => process.exit(1),
  );
  const instance = await starting;
  if (!isStopping) announce(instance);
}

function warnOfUnknownVariables(environment: NodeJS.ProcessEnv, log: Logger): void {
  for (const name of unknownVariables(environment)) {
    log.warn({ variable: name }, `${name} is no setting of this version and is ignored`);
  }
}

/** Time for the database to get as far as it comes without us: to the programs of its own. */
const headStartMs = 100;

/**
 * Tries first what can be tried quickly, then has the database start. Loading the
 * code of the services takes most of a second, in which nothing else can run here.
 */
async function start(options: InstanceOptions): Promise<Instance> {
  const { configuration, services, log } = options;
  parseAllowList(configuration.upstreamAllow);
  await checkListenAddresses(services.map((name) => listenAddressOf(name, configuration)));
  loadInstanceSecrets(configuration);
  const database = reachDatabase(configuration, log);
  await Promise.race([database, delay(headStartMs)]);
  const { startInstance } = await import("./instance.ts");
  return startInstance({ ...options, database });
}

function announce(instance: Instance): void {
  for (const { name, listeningUrl } of instance.services) {
    process.stdout.write(`causeway ${name} ready ${listeningUrl}\n`);
  }
  const { firstOwner } = instance;
  if (firstOwner === undefined) return;
  const gateway = instance.services.find(({ name }) => name === "gateway");
  if (gateway === undefined) return;
  process.stdout.write(
    `\nThe first caller key is in ${firstOwner.file}. Try it:\n` +
      `  curl ${gateway.listeningUrl}/v1/upstreams -H "authorization: Bearer ${firstOwner.key}"\n` +
      `Then register an endpoint; the documentation is at ${gateway.listeningUrl}/docs\n`,
  );
}

/** A start that is under way is waited for, so that the embedded database is not left running. */
async function stop(starting: Promise<Instance>, signal: string, log: Logger): Promise<void> {
  log.info({ signal }, "draining");
  const instance = await starting.catch(() => undefined);
  // A failed start ends the process by itself.
  if (instance === undefined) return;
  try {
    await instance.stop();
    log.info("stopped");
    await flushLog(log);
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, "the stop failed");
    await flushLog(log);
    process.exit(1);
  }
}
