import { surviveUncaughtErrors } from "../../platform/uncaught/survive-uncaught-errors.ts";
import { announce } from "./announce.ts";
import type { InstanceDependencies } from "../instance.ts";
import { checkListenAddresses, listenAddressOf } from "./listen-address.ts";
import { onStopSignals } from "./signals.ts";
import { startEarly, stopAndExit } from "./start-and-stop.ts";

/** Serves everything in this process. */
export async function serveAlone(dependencies: InstanceDependencies): Promise<void> {
  surviveUncaughtErrors(dependencies.log);
  const starting = start(dependencies);
  let isStopping = false;
  onStopSignals(
    (signal) => {
      isStopping = true;
      void stopAndExit(starting, signal, dependencies.log);
    },
    () => process.exit(1),
  );
  const instance = await starting;
  if (!isStopping) announce(instance.services, instance.firstOwner);
}

async function start(dependencies: InstanceDependencies) {
  const { configuration, services } = dependencies;
  const addresses = services.map((name) => listenAddressOf(name, configuration));
  return startEarly(dependencies, () => checkListenAddresses(addresses));
}
