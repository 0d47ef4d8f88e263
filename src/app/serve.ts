import { readConfiguration } from "../platform/configuration/configuration.ts";
import { ConfigurationError } from "../platform/configuration/configuration-error.ts";
import { findUnknownEnvironmentVariables } from "../platform/configuration/environment.ts";
import { createProcessLoggers, type Logger } from "../platform/log.ts";
import { parseServiceSelection } from "./service-name.ts";

/**
 * `causeway serve [all|gateway|tools]`: starts the services, prints a line per
 * service when it is ready, and drains on SIGTERM and SIGINT. Rejects with a
 * `ConfigurationError` before anything is started.
 *
 * Everything runs in this process unless `CAUSEWAY_WORKERS` asks for several
 * gateways; then this one only watches over them, and loads nothing else.
 */
export async function runServeCommand(
  which: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const services = parseServiceSelection(which);
  if (services === undefined) {
    throw new ConfigurationError("serve", `"${which}" is no service; say all, gateway or tools`);
  }
  const configuration = readConfiguration(environment);
  const logs = await createProcessLoggers(configuration.logLevel);
  warnOfUnknownVariables(environment, logs.log);
  if (configuration.workers > 1 && services.includes("gateway")) {
    const { serveWithWorkerProcesses } = await import("./workers/primary.ts");
    await serveWithWorkerProcesses({ configuration, services, log: logs.log });
  } else {
    const { serveSingleProcess: serveAlone } = await import("./start/serve-single-process.ts");
    await serveAlone({ configuration, services, ...logs, environment });
  }
}

function warnOfUnknownVariables(environment: NodeJS.ProcessEnv, log: Logger): void {
  for (const name of findUnknownEnvironmentVariables(environment)) {
    log.warn({ variable: name }, `${name} is no setting of this version and is ignored`);
  }
}
