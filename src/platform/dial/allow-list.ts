import ipaddr from "ipaddr.js";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { listEffectiveAddresses, isIpWithinNetwork, type IpAddress } from "./address-class.ts";

/** One entry: a name as sent or a network, and a port; undefined is every port. */
type AllowEntry = { readonly port: number | undefined } & (
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "network"; readonly network: readonly [IpAddress, number] }
);

const setting = "CAUSEWAY_UPSTREAM_ALLOW";
const entryPattern = /^(?<host>\[[^\]]+\](?:\/\d{1,3})?|[^:[\]]+):(?<port>\*|\d{1,5})$/;
const namePattern = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/**
 * What the operator allows to be dialled although it is private or loopback, and to be
 * dialled without TLS.
 */
export class EgressAllowList {
  readonly #entries: readonly AllowEntry[];

  constructor(entries: readonly AllowEntry[] = []) {
    this.#entries = entries;
  }

  /** Whether the name, as sent, is listed with this port. */
  allowsName(host: string, port: number): boolean {
    return this.#entries.some(
      (entry) => entry.kind === "name" && entry.name === host && coversPort(entry, port),
    );
  }

  /** Whether the address, or the IPv4 address it embeds, is listed with this port. */
  allowsAddress(address: IpAddress, port: number): boolean {
    const forms = listEffectiveAddresses(address);
    return this.#entries.some(
      (entry) =>
        entry.kind === "network" &&
        coversPort(entry, port) &&
        forms.some((form) => isIpWithinNetwork(form, entry.network)),
    );
  }

  /** Both lists together. */
  concat(other: EgressAllowList): EgressAllowList {
    return new EgressAllowList([...this.#entries, ...other.#entries]);
  }
}

/**
 * Parses entries `host-or-CIDR:port`: `127.0.0.1:11434`, `[::1]:*`,
 * `10.20.0.0/16:8000`, `[fd00::/8]:443`, `gpu.internal:8000`. A malformed one is
 * a `ConfigurationError` that names the variable and the entry.
 */
export function parseEgressAllowList(entries: readonly string[]): EgressAllowList {
  return new EgressAllowList(entries.map((entry) => parseEntry(entry) ?? refuse(entry)));
}

/** The allow-list that operator-set base addresses amount to: each host with its port. */
export function egressAllowListFromAddresses(addresses: readonly string[]): EgressAllowList {
  return new EgressAllowList(
    addresses.map((address) => {
      const url = new URL(address);
      const [host, port] = [bareUrlHost(url), effectiveUrlPort(url)];
      return parseHost(host, port) ?? { kind: "name", name: host, port };
    }),
  );
}

/** The entry that would allow a host and port. */
export function formatEgressAllowListEntry(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Host of an address without brackets and without a trailing dot. */
export function bareUrlHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** Port of an address, the scheme's own when it names none. */
export function effectiveUrlPort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function parseEntry(entry: string): AllowEntry | undefined {
  const parts = entryPattern.exec(entry.trim())?.groups;
  if (parts?.["host"] === undefined || parts["port"] === undefined) return undefined;
  const port = parsePort(parts["port"]);
  if (port === "malformed") return undefined;
  return parseHost(parts["host"].toLowerCase(), port);
}

function parsePort(text: string): number | undefined | "malformed" {
  if (text === "*") return undefined;
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? port : "malformed";
}

function parseHost(host: string, port: number | undefined): AllowEntry | undefined {
  const plain = host.replace(/^\[(.*?)\](\/\d+)?$/, "$1$2");
  if (plain !== host && !plain.includes(":")) return undefined;
  const network = parseNetwork(plain);
  if (network !== undefined) return { kind: "network", network, port };
  const name = plain.replace(/\.$/, "");
  return isName(name) ? { kind: "name", name, port } : undefined;
}

function parseNetwork(text: string): readonly [IpAddress, number] | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return [ipaddr.IPv4.parse(text), 32];
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text);
  if (!text.includes(":")) return undefined;
  if (ipaddr.IPv6.isValid(text)) return [ipaddr.IPv6.parse(text), 128];
  return ipaddr.IPv6.isValidCIDR(text) ? ipaddr.IPv6.parseCIDR(text) : undefined;
}

/** A name that the URL parser keeps as it is: `127.1` would become an address. */
function isName(text: string): boolean {
  return namePattern.test(text) && URL.parse(`http://${text}/`)?.hostname === text;
}

function coversPort(entry: AllowEntry, port: number): boolean {
  return entry.port === undefined || entry.port === port;
}

function refuse(entry: string): never {
  throw new ConfigurationError(
    setting,
    `the entry "${entry}" must be host-or-CIDR:port, for example 127.0.0.1:11434, [::1]:* or 10.20.0.0/16:8000`,
  );
}
