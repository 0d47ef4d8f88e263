import ipaddr from "ipaddr.js";

/** A parsed IP address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * What an address is to a server that dials for several users:
 * `public` may be dialled with TLS, `restricted` (private, loopback, reserved)
 * only when the operator allows it, `forbidden` never.
 */
export type IpDialPermission = "public" | "restricted" | "forbidden";

/** How an IPv6 network carries an IPv4 address. */
interface Embedding {
  readonly network: [ipaddr.IPv6, number];
  /** Bytes before the IPv4 address. */
  readonly offset: number;
  /** Traffic really goes to the IPv4 address, whose class is then the class of the whole. */
  readonly transparent: boolean;
  /** Teredo stores the client's address with all bits inverted. */
  readonly inverted?: boolean;
}

const embeddings: readonly Embedding[] = [
  embedding("::ffff:0:0/96", 12, true), // IPv4-mapped
  embedding("64:ff9b::/96", 12, true), // NAT64; a blanket refusal would cut off DNS64 networks
  embedding("2002::/16", 2, true), // 6to4
  embedding("64:ff9b:1::/48", 12, false), // NAT64 for local use
  embedding("::ffff:0:0:0/96", 12, false), // IPv4-translated
  embedding("::/96", 12, false), // IPv4-compatible, which ipaddr.js takes for unicast
  embedding("2001::/32", 4, false), // Teredo, the server
  { ...embedding("2001::/32", 12, false), inverted: true }, // Teredo, the client
];

/**
 * Never dialled, whatever the operator allows: unspecified, link-local,
 * multicast, broadcast and the metadata services of the clouds, of which
 * 168.63.129.16 counts as public elsewhere.
 */
const forbiddenNetworks: readonly [IpAddress, number][] = [
  "0.0.0.0/8",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "192.0.0.192/32",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "fe80::/10",
  "ff00::/8",
].map((network) => ipaddr.parseCIDR(network));

/** The only part of IPv6 that is allocated for global unicast. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * The class of an IP address in any textual form. Addresses that embed an IPv4
 * address are decoded, so that no spelling of 127.0.0.1 passes as public.
 */
export function classifyIpAddress(address: IpAddress): IpDialPermission {
  if (forbiddenNetworks.some((network) => isIpWithinNetwork(address, network))) return "forbidden";
  const range = address.range();
  if (address instanceof ipaddr.IPv4) return range === "unicast" ? "public" : "restricted";
  if (range === "loopback") return "restricted";
  const carried = embeddings.filter(({ network }) => address.match(network));
  if (carried.length > 0) return worst(carried.map((form) => classifyCarried(address, form)));
  return range === "unicast" && address.match(globalUnicast) ? "public" : "restricted";
}

/** The address itself and the IPv4 address that traffic to it really reaches, if any. */
export function listEffectiveAddresses(address: IpAddress): readonly IpAddress[] {
  if (address instanceof ipaddr.IPv4) return [address];
  const carried = embeddings.filter(
    ({ network, transparent }) => transparent && address.match(network),
  );
  return [address, ...carried.map((form) => carriedAddress(address, form))];
}

/** Whether an address lies in a network; never across the two families. */
export function isIpWithinNetwork(
  address: IpAddress,
  network: readonly [IpAddress, number],
): boolean {
  return address.kind() === network[0].kind() && address.match(network[0], network[1]);
}

function embedding(network: string, offset: number, transparent: boolean): Embedding {
  return { network: ipaddr.IPv6.parseCIDR(network), offset, transparent };
}

function classifyCarried(address: ipaddr.IPv6, form: Embedding): IpDialPermission {
  const inner = classifyIpAddress(carriedAddress(address, form));
  return form.transparent ? inner : worst(["restricted", inner]);
}

function carriedAddress(address: ipaddr.IPv6, form: Embedding): ipaddr.IPv4 {
  const bytes = address.toByteArray().slice(form.offset, form.offset + 4);
  return new ipaddr.IPv4(form.inverted === true ? bytes.map((byte) => byte ^ 0xff) : bytes);
}

function worst(classes: readonly IpDialPermission[]): IpDialPermission {
  if (classes.includes("forbidden")) return "forbidden";
  return classes.includes("restricted") ? "restricted" : "public";
}
