import type { GivenMcpServer } from "../../../kernel/given-items.ts";
import { freeName, toolNameOf } from "./free-name.ts";

/** Short enough that the name of a tool has room behind it. */
const longestLabel = 24;

/**
 * What models and callers know servers by, unlike each other and `others`: the
 * name of the item, never the address. In their order.
 */
export function serverLabels(
  servers: readonly Pick<GivenMcpServer, "name">[],
  others: readonly string[] = [],
): string[] {
  const taken = new Set(others);
  return servers.map(({ name }) => freeName(toolNameOf(name ?? "", longestLabel) || "mcp", taken));
}
