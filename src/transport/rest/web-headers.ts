import type { FastifyRequest } from "fastify";

/** The headers of a request as `Headers` takes them; without HTTP/2's pseudo-headers, which are no names. */
export function toWebHeaderPairs(headers: FastifyRequest["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || name.startsWith(":")) return [];
    return [value].flat().map((item): [string, string] => [name, item]);
  });
}
