import { isDeepStrictEqual } from "node:util";
import { asArrayOrEmpty, type JsonObject } from "../../dialect/json.ts";
import type { AgentToolsetSnapshot, McpToolListing } from "../../domain/agent-turn.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";

/** What callers are told of a server that they declare: an item, and its events between announcement and end. */
export interface McpListToolsOutputItem {
  /** As it is announced. */
  readonly startItem: JsonObject;
  readonly events: readonly ResponsesStreamEvent[];
  readonly item: JsonObject;
}

/** What a turn tells of the servers that its request declares, but for those of which its thread tells the same. */
export function buildMcpListToolsItems(
  turnId: string,
  { listings = [] }: AgentToolsetSnapshot,
  history: readonly JsonObject[],
): readonly McpListToolsOutputItem[] {
  return listings.flatMap((listing, index) =>
    isKnown(listing, history) ? [] : [mcpListToolsItem(itemId(turnId, index + 1), listing)],
  );
}

/** The same whoever takes the turn over, who so knows what was told. */
function itemId(turnId: string, number: number): string {
  return `mcpl_${turnId.slice(turnId.indexOf("_") + 1)}_${number}`;
}

function mcpListToolsItem(
  id: string,
  { label, tools, error }: McpToolListing,
): McpListToolsOutputItem {
  const begun = { type: "mcp_list_tools", id, server_label: label, tools: [], error: null };
  const end = error === undefined ? "completed" : "failed";
  return {
    startItem: begun,
    events: [
      { type: "response.mcp_list_tools.in_progress" },
      { type: `response.mcp_list_tools.${end}` },
    ],
    item: { ...begun, tools, error: error ?? null },
  };
}

/** The last that was told of the server is what it says now; a failure is always news. */
function isKnown({ label, tools, error }: McpToolListing, history: readonly JsonObject[]): boolean {
  const last = history.findLast(
    (item) => item["type"] === "mcp_list_tools" && item["server_label"] === label,
  );
  const isSame = last !== undefined && (last["error"] ?? null) === null && error === undefined;
  return isSame && isDeepStrictEqual(asArrayOrEmpty(last["tools"]), tools);
}
