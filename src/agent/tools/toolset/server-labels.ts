import type { AgentMcpServer } from "../../../domain/agent-items.ts";
import { UniqueToolNameAllocator, sanitizeToolName } from "./unique-name.ts";

/** Short enough that the name of a tool has room behind it. */
const maxLabelLength = 24;

/**
 * What models and callers know servers by, unlike each other and `others`: the
 * name of the item, never the address. In their order.
 */
export function assignMcpServerLabels(
  servers: readonly Pick<AgentMcpServer, "name">[],
  others: readonly string[] = [],
): string[] {
  const names = new UniqueToolNameAllocator(others);
  return servers.map(({ name }) =>
    names.create(sanitizeToolName(name ?? "", maxLabelLength) || "mcp"),
  );
}
