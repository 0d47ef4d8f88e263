import type { Socket } from "node:net";
import { toRateLimitNetwork } from "../../platform/rate-limit/address-limit.ts";
import type { HttpListenerLimits } from "./front-limits.ts";
import { createAddressMatcher } from "./match-address.ts";

type ConnectionLimits = Pick<
  HttpListenerLimits,
  "maxConnections" | "maxAddressConnections" | "minAddressConnections"
>;

/** Connections of one network address. In both sets the longest idle or busy comes first. */
interface ConnectionHolder {
  readonly network: string;
  readonly isTrustedProxy: boolean;
  /** Connections without a request in progress. */
  readonly idle: Set<Socket>;
  readonly busy: Set<Socket>;
  /** Number of connections under which it is found, 0 if it has no idle one. */
  level: number;
}

/** Anything that emits `close` once when a request is over. */
interface Closing {
  once(event: "close", listener: () => void): unknown;
}

/**
 * Shares the connections of one port among network addresses. When the port is full, the address
 * with the most connections gives one up, so that other addresses always get in. Idle
 * connections are closed first. A busy one is closed only if no connection is idle and its
 * address has more than `minAddressConnections`. Connections of trusted proxies are bounded by
 * the port alone, and busy ones of them are never closed.
 */
export class InboundConnectionLimiter {
  readonly #limits: ConnectionLimits;
  readonly #isTrustedProxy: (address: string) => boolean;
  readonly #holders = new Map<string, ConnectionHolder>();
  readonly #holderOfSocket = new Map<Socket, ConnectionHolder>();
  /** Holders with an idle connection by their number of connections, so that no search visits all. */
  readonly #levels: Set<ConnectionHolder>[] = [];
  /** Holders of more than `minAddressConnections`, without trusted proxies. */
  readonly #large = new Set<ConnectionHolder>();
  /** Number of requests in progress, for busy connections. */
  readonly #requests = new WeakMap<Socket, number>();

  /** `trustedProxies`: addresses and CIDRs. */
  constructor(limits: ConnectionLimits, trustedProxies: readonly string[]) {
    this.#limits = limits;
    this.#isTrustedProxy = createAddressMatcher(trustedProxies);
  }

  /**
   * Counts a new connection until it closes, and closes another one if necessary. Returns false
   * if there is no room; the connection is not counted then.
   */
  add(socket: Socket): boolean {
    // Undefined if the connection is closed already.
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return false;
    const holder = this.#holder(remoteAddress);
    if (!this.#makeRoom(holder)) return false;
    this.#holders.set(holder.network, holder);
    this.#holderOfSocket.set(socket, holder);
    holder.idle.add(socket);
    this.#rank(holder);
    socket.once("close", () => this.#remove(socket));
    return true;
  }

  /** Marks a connection as busy until `request` emits `close`. */
  addRequest(socket: Socket, request: Closing): void {
    const count = this.#requests.get(socket) ?? 0;
    this.#requests.set(socket, count + 1);
    if (count === 0) this.#move(socket, "idle", "busy");
    request.once("close", () => this.#endRequest(socket));
  }

  #endRequest(socket: Socket): void {
    const count = (this.#requests.get(socket) ?? 1) - 1;
    this.#requests.set(socket, count);
    if (count === 0) this.#move(socket, "busy", "idle");
  }

  #move(socket: Socket, from: "idle" | "busy", to: "idle" | "busy"): void {
    const holder = this.#holderOfSocket.get(socket);
    if (holder?.[from].delete(socket) !== true) return;
    holder[to].add(socket);
    this.#rank(holder);
  }

  #holder(address: string): ConnectionHolder {
    const isTrustedProxy = this.#isTrustedProxy(address);
    const network = isTrustedProxy ? address : toRateLimitNetwork(address);
    const known = this.#holders.get(network);
    return known ?? { network, isTrustedProxy, idle: new Set(), busy: new Set(), level: 0 };
  }

  #makeRoom(newcomer: ConnectionHolder): boolean {
    const { maxConnections, maxAddressConnections } = this.#limits;
    if (!newcomer.isTrustedProxy && connectionCount(newcomer) >= maxAddressConnections) {
      return this.#close(first(newcomer.idle));
    }
    if (this.#holderOfSocket.size < maxConnections) return true;
    const holder = this.#largestWithIdle();
    if (holder !== undefined) return this.#close(first(holder.idle));
    return this.#close(first(this.#largestOfLarge()?.busy));
  }

  #largestWithIdle(): ConnectionHolder | undefined {
    while (this.#levels.at(-1)?.size === 0) this.#levels.pop();
    return first(this.#levels.at(-1));
  }

  #largestOfLarge(): ConnectionHolder | undefined {
    let largest: ConnectionHolder | undefined;
    for (const holder of this.#large) {
      if (largest === undefined || connectionCount(holder) > connectionCount(largest)) {
        largest = holder;
      }
    }
    return largest;
  }

  /** Finds a holder under its present number of connections from now on. */
  #rank(holder: ConnectionHolder): void {
    const count = connectionCount(holder);
    this.#levels[holder.level]?.delete(holder);
    holder.level = holder.idle.size > 0 ? count : 0;
    while (this.#levels.length <= holder.level) this.#levels.push(new Set());
    if (holder.level > 0) this.#levels[holder.level]?.add(holder);
    const isLarge = !holder.isTrustedProxy && count > this.#limits.minAddressConnections;
    if (isLarge) this.#large.add(holder);
    else this.#large.delete(holder);
  }

  /** Returns false if there is no connection to close. */
  #close(socket: Socket | undefined): boolean {
    if (socket === undefined) return false;
    // The socket emits `close` later, and its place is taken now.
    this.#remove(socket);
    socket.destroy();
    return true;
  }

  #remove(socket: Socket): void {
    const holder = this.#holderOfSocket.get(socket);
    if (holder === undefined) return;
    this.#holderOfSocket.delete(socket);
    holder.idle.delete(socket);
    holder.busy.delete(socket);
    this.#rank(holder);
    if (connectionCount(holder) === 0) this.#holders.delete(holder.network);
  }
}

function connectionCount({ idle, busy }: ConnectionHolder): number {
  return idle.size + busy.size;
}

function first<T>(set: ReadonlySet<T> | undefined): T | undefined {
  return set?.values().next().value;
}
