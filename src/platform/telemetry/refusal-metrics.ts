import { Counter, type Registry } from "prom-client";
import { errorCatalog } from "../errors.ts";

export interface ApiErrorMetrics {
  /** A request of a service has ended with an error of this code. */
  rejected(service: string, code: string): void;
}

/** Status classes do not tell a spent wallet from a mistyped field: these do. */
export function createApiErrorMetrics(registry: Registry): ApiErrorMetrics {
  const counter = new Counter({
    name: "causeway_refusals_total",
    help: "Requests that ended with an error of ours, by its code.",
    labelNames: ["service", "code"],
    registers: [registry],
  });
  return {
    rejected(service, code) {
      // Only codes of the catalogue become labels, so that there are no more of them.
      if (Object.hasOwn(errorCatalog, code)) counter.inc({ service, code });
    },
  };
}
