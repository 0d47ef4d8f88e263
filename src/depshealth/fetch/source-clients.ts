import { DataSourceClient, type DataSourceClientDependencies } from "./source-client.ts";
import { DataSourceRequestThrottle } from "./source-throttle.ts";
import { getDataSourceThrottleLimits, type PackageDataSourceName } from "./source-limits.ts";

/** Where a client asks. */
export interface DataSourceEndpointSettings {
  readonly base: string;
  /** Set by the operator, whose own it is to spare. */
  readonly isOwn: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the clients of sources; those of one source and host share a gate. */
export class DataSourceClientFactory {
  readonly #dependencies: DataSourceClientDependencies;
  readonly #gates = new Map<string, DataSourceRequestThrottle>();

  constructor(dependencies: DataSourceClientDependencies) {
    this.#dependencies = dependencies;
  }

  /** `source` is what evidence calls it, `name` what its limits are filed under. */
  create(
    source: string,
    name: PackageDataSourceName,
    address: DataSourceEndpointSettings,
  ): DataSourceClient {
    return new DataSourceClient(source, address, this.#gate(name, address), this.#dependencies);
  }

  #gate(
    name: PackageDataSourceName,
    { base, isOwn }: DataSourceEndpointSettings,
  ): DataSourceRequestThrottle {
    const key = `${name} ${new URL(base).host}`;
    const gate =
      this.#gates.get(key) ??
      new DataSourceRequestThrottle(
        getDataSourceThrottleLimits(name, isOwn),
        this.#dependencies.throttleClock,
      );
    this.#gates.set(key, gate);
    return gate;
  }
}
