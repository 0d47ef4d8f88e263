import type { LookupAddress } from "node:dns";
import { lookup as lookupName } from "node:dns/promises";
import { Agent, Pool, type Dispatcher } from "undici";
import { requireHttpDialUrl, extractRawUrlAuthority } from "./parse-dial-address.ts";
import { egressAllowListFromAddresses, parseEgressAllowList } from "./allow-list.ts";
import { createEgressCheckedConnector, type DnsLookup } from "./checked-connector.ts";
import { toDialTarget } from "./dial-target.ts";
import { EgressPolicy } from "./egress-policy.ts";
import { LocalListenAddresses } from "./local-listeners.ts";
import { UpstreamConnectionPools } from "./connection-pools.ts";
import { withTimeoutFallback } from "../with-timeout.ts";

export interface DialerOptions {
  /** Entries of `CAUSEWAY_UPSTREAM_ALLOW`; a malformed one is a `ConfigurationError`. */
  readonly allow: readonly string[];
  /** Base addresses that the operator set in the configuration file: they count as allowed. */
  readonly operatorAddresses?: readonly string[];
  /** Milliseconds that a connection may take, look-up and TLS included. */
  readonly connectMs: number;
  /** Replaces the system's resolver in tests. */
  readonly lookup?: DnsLookup;
  /** Pools kept at most. */
  readonly maxPools?: number;
}

/** More than the streams that one upstream is meant to carry at a time (512), with room for calls beside. */
const connectionsPerOrigin = 1024;
const idlePoolMs = 60_000;
const idleConnectionMs = 30_000;

/**
 * The one way out of the server: every outbound connection is made by a
 * dispatcher of this class and judged at the moment it is made, whatever was
 * checked before. Redirects are not followed, bodies are not decompressed.
 */
export class Dialer {
  readonly #listeners = new LocalListenAddresses();
  readonly #policy: EgressPolicy;
  readonly #lookup: DnsLookup;
  readonly #connectMs: number;
  readonly #pools: UpstreamConnectionPools;

  constructor(options: DialerOptions) {
    const allow = parseEgressAllowList(options.allow).concat(
      egressAllowListFromAddresses(options.operatorAddresses ?? []),
    );
    this.#policy = new EgressPolicy(allow, this.#listeners);
    this.#lookup = options.lookup ?? systemLookup;
    this.#connectMs = options.connectMs;
    this.#pools = new UpstreamConnectionPools({
      create: () => this.#createAgent(),
      maxPools: options.maxPools ?? 2048,
      idleMs: idlePoolMs,
    });
  }

  /**
   * Parses an address that a caller gave and judges what can be judged without
   * a look-up. Throws a `DialDeniedError`.
   */
  parseAddress(raw: string): URL {
    const url = requireHttpDialUrl(raw);
    this.#policy.checkHost(toDialTarget(url, extractRawUrlAuthority(raw)));
    return url;
  }

  /**
   * Judges an address as a dial would now: a name is looked up. Throws a
   * `DialDeniedError`; resolves for a name that does not resolve, which is a matter
   * of the dial.
   */
  async assertAllowed(url: URL): Promise<void> {
    const target = toDialTarget(url);
    this.#policy.checkHost(target);
    if (target.ipAddress) return;
    const found = await this.#lookupInTime(target.host);
    if (found.length === 0) this.#policy.checkUnresolved(target);
    this.#policy.checkAddresses(
      target,
      found.map(({ address }) => address),
    );
  }

  /**
   * The dispatcher of a pool key (one per endpoint and account). Requests name
   * their `origin`. Ask for it for each request: an idle one is given up.
   */
  dispatcher(poolKey: string): Dispatcher {
    return this.#pools.get(poolKey);
  }

  /** Gives the connections of a key up, after a change of its address or credential. */
  dropPool(poolKey: string): void {
    this.#pools.drop(poolKey);
  }

  /** An address this server listens on, as bound: never dialled, whatever is allowed. */
  addListener(host: string, port: number): void {
    this.#listeners.add(host, port);
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    await this.#pools.close();
  }

  /** A resolver that fails, or takes longer than a connection may, knows no address. */
  #lookupInTime(hostname: string): Promise<readonly LookupAddress[]> {
    return withTimeoutFallback(this.#lookup(hostname), this.#connectMs, []).catch(() => []);
  }

  #createAgent(): Dispatcher {
    return new Agent({ factory: (origin) => this.#createPool(new URL(origin)) });
  }

  #createPool(origin: URL): Dispatcher {
    return new Pool(origin, {
      allowH2: false,
      connections: connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: idleConnectionMs,
      connect: createEgressCheckedConnector(toDialTarget(origin), {
        policy: this.#policy,
        lookup: this.#lookup,
        connectMs: this.#connectMs,
      }),
    });
  }
}

function systemLookup(hostname: string): ReturnType<DnsLookup> {
  return lookupName(hostname, { all: true });
}
