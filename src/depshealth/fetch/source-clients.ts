import { SourceClient, type SourceClientDependencies } from "./source-client.ts";
import { SourceThrottle } from "./source-throttle.ts";
import { getDataSourceThrottleLimits, type SourceName } from "./source-limits.ts";

/** Where a client asks. */
export interface SourceEndpointSettings {
  readonly base: string;
  /** Set by the operator, whose own it is to spare. */
  readonly isOwn: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the clients of sources; those of one source and host share a gate. */
export class SourceClientFactory {
  readonly #dependencies: SourceClientDependencies;
  readonly #gates = new Map<string, SourceThrottle>();

  constructor(dependencies: SourceClientDependencies) {
    this.#dependencies = dependencies;
  }

  /** `source` is what evidence calls it, `name` what its limits are filed under. */
  create(source: string, name: SourceName, address: SourceEndpointSettings): SourceClient {
    return new SourceClient(source, address, this.#gate(name, address), this.#dependencies);
  }

  #gate(name: SourceName, { base, isOwn }: SourceEndpointSettings): SourceThrottle {
    const key = `${name} ${new URL(base).host}`;
    const gate =
      this.#gates.get(key) ??
      new SourceThrottle(getDataSourceThrottleLimits(name, isOwn), this.#dependencies.clock);
    this.#gates.set(key, gate);
    return gate;
  }
}
