import type { McpListToolsOutputItem } from "../../agent/run/mcp-list-tools-items.ts";
import type { TurnEventJournal } from "../journal/response-journal.ts";

/** Tells what servers have; nothing of what was told by another process. */
export function buildMcpListToolsFrames(
  journal: TurnEventJournal,
  listings: readonly McpListToolsOutputItem[],
): readonly string[] {
  return listings.flatMap(({ startItem: begun, events, item }) => [
    ...journal.begin(begun),
    ...events.flatMap((event) => journal.about(item["id"], event)),
    ...journal.finish(item),
  ]);
}
