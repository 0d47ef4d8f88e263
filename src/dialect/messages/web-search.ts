import type { RequestFieldReader } from "../body-reader.ts";
import type { WebSearchOptions } from "../neutral-request.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** The version that takes no other tool with it; the newer ones filter by running code. */
const searchType = "web_search_20250305";

const members: ReadonlySet<string> = new Set([
  "type",
  "name",
  "cache_control",
  "allowed_domains",
  "blocked_domains",
  "max_uses",
  "user_location",
]);

/** A search of the web that the vendor makes; undefined: the tool is another one. */
export function decodeMessagesWebSearchOptions(
  tool: RequestFieldReader,
  type: string,
): WebSearchOptions | undefined {
  if (type !== searchType) return undefined;
  const rest = tool.unknownNames(members).filter((name) => tool.has(name));
  return {
    path: tool.path,
    allowedDomains: locate(tool, "allowed_domains"),
    blockedDomains: locate(tool, "blocked_domains"),
    location: tool.object("user_location")?.value,
    size: undefined,
    uses: locate(tool, "max_uses"),
    others: rest.map((name) => tool.pathOf(name)),
  };
}

function locate(tool: RequestFieldReader, name: string) {
  return tool.has(name) ? { path: tool.pathOf(name), value: tool.value[name] } : undefined;
}

/** Whether this upstream searches the web itself. */
export function isWebSearchSupported({
  capabilities,
}: Pick<MessagesRequestEncodingContext, "capabilities">): boolean {
  return capabilities.serverTools.includes("web_search");
}

/** The vendor's tool for a search that another dialect asked for. */
export function encodeMessagesWebSearch(
  { warnings: ledger }: MessagesRequestEncodingContext,
  search: WebSearchOptions,
): MessagesWireObject {
  const { allowedDomains, blockedDomains, location, size, others } = search;
  for (const path of others) {
    ledger.reject(path, `A search of this upstream's cannot do what \`${path}\` asks for.`);
  }
  if (size !== undefined) ledger.drop(size.path, "unsupported");
  return {
    type: searchType,
    name: "web_search",
    ...(allowedDomains === undefined ? {} : { allowed_domains: allowedDomains.value }),
    ...(blockedDomains === undefined ? {} : { blocked_domains: blockedDomains.value }),
    ...(location === undefined ? {} : { user_location: { type: "approximate", ...location } }),
  };
}
