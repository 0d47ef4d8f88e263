import { installUncaughtErrorHandler } from "../../platform/uncaught/survive-uncaught-errors.ts";
import { printReadyLines } from "./print-ready-lines.ts";
import type { ServerInstanceDependencies } from "../instance.ts";
import { assertListenAddressesAvailable, readListenAddress } from "./listen-address.ts";
import { onStopSignals } from "./signals.ts";
import { startServerAfterChecks, stopServerAndExit } from "./start-and-stop.ts";

/** Serves everything in this process. */
export async function serveSingleProcess(dependencies: ServerInstanceDependencies): Promise<void> {
  installUncaughtErrorHandler(dependencies.log);
  const starting = start(dependencies);
  let isStopping = false;
  onStopSignals(
    (signal) => {
      isStopping = true;
      void stopServerAndExit(starting, signal, dependencies.log);
    },
    () => process.exit(1),
  );
  const instance = await starting;
  if (!isStopping) printReadyLines(instance.services, instance.firstOwner);
}

async function start(dependencies: ServerInstanceDependencies) {
  const { configuration, services } = dependencies;
  const addresses = services.map((name) => readListenAddress(name, configuration));
  return startServerAfterChecks(dependencies, () => assertListenAddressesAvailable(addresses));
}
