import ipaddr from "ipaddr.js";

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Returns a predicate for the addresses in `networks`, which are valid addresses and CIDRs. */
export function createAddressMatcher(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map(parseNetwork);
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range));
  };
}

function parseNetwork(text: string): Network {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
