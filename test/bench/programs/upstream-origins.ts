/** The upstreams a baseline may call, by name, from its command line: `name=origin`, several. */
export function upstreamOrigins(): Record<string, string> {
  const pairs = process.argv.slice(2).map((pair) => pair.split("=", 2));
  return Object.fromEntries(pairs.map(([name = "", origin = ""]) => [name, origin]));
}
