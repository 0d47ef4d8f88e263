import { isJsonObject, type JsonObject } from "../../../platform/json-value.ts";

/** Member of `_meta` under which what a server sent is carried past the validators of the client. */
const rawMember = "causeway/raw";

const maxVersions = 32;

/** Tools that are read of one page, or of all pages of a server. */
export const maxListedMcpTools = 1000;

/**
 * A result of an MCP server as the client may see it: the members that it works
 * with, bounded, and in `_meta` what we read ourselves, see `getRawMcpResult`.
 */
export function pruneMcpMethodResult(method: string, result: JsonObject): JsonObject {
  const { resultType, ttlMs, cacheScope, protocolVersion, nextCursor } = result;
  switch (method) {
    case "initialize":
      return { protocolVersion, capabilities: capabilitiesOf(result), serverInfo };
    case "server/discover":
      return {
        resultType,
        ttlMs,
        cacheScope,
        supportedVersions: stringsOf(result["supportedVersions"]),
        capabilities: capabilitiesOf(result),
      };
    case "tools/list":
      return { resultType, ttlMs, cacheScope, nextCursor, tools: toolsOf(result) };
    case "tools/call":
      return { resultType, content: [], _meta: { [rawMember]: result } };
    default:
      return { resultType };
  }
}

/** What the server sent in the place of a pruned result, or of a tool in it. */
export function getRawMcpResult({ _meta: meta }: { readonly _meta?: unknown }): JsonObject {
  const carried = isJsonObject(meta) ? meta[rawMember] : undefined;
  return isJsonObject(carried) ? carried : {};
}

/** What it calls itself is nobody's business. */
const serverInfo = { name: "server", version: "0" };

function capabilitiesOf({ capabilities }: JsonObject): JsonObject {
  return isJsonObject(capabilities) && isJsonObject(capabilities["tools"]) ? { tools: {} } : {};
}

function stringsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxVersions).filter((item) => typeof item === "string");
}

function toolsOf({ tools }: JsonObject): unknown {
  if (!Array.isArray(tools)) return undefined;
  return tools
    .slice(0, maxListedMcpTools)
    .filter(isJsonObject)
    .filter(({ name }) => typeof name === "string")
    .map((tool) => ({
      name: tool["name"],
      inputSchema: { type: "object" },
      _meta: { [rawMember]: tool },
    }));
}
