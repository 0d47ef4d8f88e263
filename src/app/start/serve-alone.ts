import { surviveUncaughtErrors } from "../../platform/uncaught/survive-uncaught-errors.ts";
import { announce } from "./announce.ts";
import type { InstanceOptions } from "../instance.ts";
import { checkListenAddresses, listenAddressOf } from "./listen-address.ts";
import { onStopSignals } from "./signals.ts";
import { startEarly, stopAndExit } from "./start-and-stop.ts";

/** Serves everything in this process. */
export async function serveAlone(options: InstanceOptions): Promise<void> {
  surviveUncaughtErrors(options.log);
  const starting = start(options);
  let isStopping = false;
  onStopSignals(
    (signal) => {
      isStopping = true;
      void stopAndExit(starting, signal, options.log);
    },
    () => process.exit(1),
  );
  const instance = await starting;
  if (!isStopping) announce(instance.services, instance.firstOwner);
}

async function start(options: InstanceOptions) {
  const { configuration, services } = options;
  const addresses = services.map((name) => listenAddressOf(name, configuration));
  return startEarly(options, () => checkListenAddresses(addresses));
}
