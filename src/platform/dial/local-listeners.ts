import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { listEffectiveAddresses, type IpAddress } from "./address-class.ts";

interface Listener {
  /** Undefined: listens on every address of the machine. */
  readonly address: string | undefined;
  readonly port: number;
}

/** Where this server listens itself: a dial there would let a caller speak as the server. */
export class LocalListenAddresses {
  readonly #listeners: Listener[] = [];

  /** `host` is the bound address (`server.address().address`) or `localhost`. */
  add(host: string, port: number): void {
    const addresses = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
    for (const address of addresses) this.#listeners.push(listener(address, port));
  }

  /** Whether a connection to the address and port would reach this server. */
  has(address: IpAddress, port: number): boolean {
    return this.#listeners.some(
      (listener) =>
        listener.port === port &&
        listEffectiveAddresses(address).some((form) => isServedBy(listener, form)),
    );
  }
}

function listener(host: string, port: number): Listener {
  const address = ipaddr.parse(host);
  const wildcard = address.range() === "unspecified";
  return { address: wildcard ? undefined : address.toNormalizedString(), port };
}

function isServedBy({ address: bound }: Listener, address: IpAddress): boolean {
  if (bound !== undefined) return address.toNormalizedString() === bound;
  return address.range() === "loopback" || isLocal(address);
}

/** Read each time: interfaces come and go, and this is only asked for a port of our own. */
function isLocal(address: IpAddress): boolean {
  const text = address.toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .some((own) => ipaddr.parse(own.address).toNormalizedString() === text);
}
