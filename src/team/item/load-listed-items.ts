import type { EntityManager } from "@mikro-orm/postgresql";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { countAgentExtensionBytes } from "./item-limits.ts";
import { AgentExtensionEntity, type AgentExtension } from "./item.entity.ts";

/**
 * Loads the items of a page in the order of their ids in `ids`, without those that were deleted
 * meanwhile. Their bytes are counted before they are loaded. Throws what `hold` throws.
 */
export async function loadAgentExtensionsByIds(
  em: EntityManager,
  ids: readonly string[],
  hold: MemoryReserver,
): Promise<readonly AgentExtension[]> {
  if (ids.length === 0) return [];
  hold(await countAgentExtensionBytes(em, ids));
  const where = { id: { $in: ids }, deletedAt: null };
  const items = await em.find(AgentExtensionEntity, where, { refresh: true });
  const itemById = new Map(items.map((item) => [item.id, item]));
  return ids.flatMap((id) => itemById.get(id) ?? []);
}
