import { readConfiguration } from "../platform/configuration/configuration.ts";
import { ConfigurationError } from "../platform/configuration/configuration-error.ts";
import { unknownVariables } from "../platform/configuration/environment.ts";
import { DatabaseStartError } from "../platform/database/database-start-error.ts";
import { createLogger, flushLog, type Logger } from "../platform/log.ts";
import { ListenError } from "../transport/front/listen.ts";
import type { Instance, ServiceName } from "./instance.ts";
import { onStopSignals } from "./signals.ts";

const servicesOf: Readonly<Record<string, readonly ServiceName[]>> = {
  all: ["gateway", "tools"],
  gateway: ["gateway"],
  tools: ["tools"],
};

/**
 * `causeway serve [all|gateway|tools]`: starts the services, prints a line per
 * service when it is ready, and drains on SIGTERM and SIGINT. Rejects with a
 * `ConfigurationError` before anything is started.
 */
export async function serve(which: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const services = servicesOf[which];
  if (services === undefined) {
    throw new ConfigurationError("serve", `"${which}" is no service; say all, gateway or tools`);
  }
  const configuration = readConfiguration(environment);
  const log = await createLogger(configuration.logLevel);
  for (const name of unknownVariables(environment)) {
    log.warn({ variable: name }, `${name} is no setting of this version and is ignored`);
  }
  // Loaded only now, so that a bad configuration is told at once.
  const { startInstance } = await import("./instance.ts");
  const instance = await startInstance({ configuration, services, log, environment }).catch(
    explainStart,
  );
  announce(instance);
  onStopSignals(
    (signal) => void stop(instance, signal, log),
    () => process.exit(1),
  );
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

async function stop(instance: Instance, signal: string, log: Logger): Promise<void> {
  log.info({ signal }, "draining");
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

/** Failures that the operator can mend are one line; others keep their stack. */
function explainStart(error: unknown): never {
  if (error instanceof DatabaseStartError || error instanceof ListenError) {
    process.stderr.write(`causeway: ${error.message}\n`);
    process.exit(1);
  }
  throw error;
}
