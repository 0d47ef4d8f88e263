import type { RequestFieldReader } from "../body-reader.ts";
import type { WebSearchOptions } from "../neutral-request.ts";
import type { ResponsesWireObject } from "./wire.ts";
import type { ResponsesRequestEncodingContext } from "./encoding-context.ts";

const searchTypes: ReadonlySet<string> = new Set([
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
]);

const members: ReadonlySet<string> = new Set([
  "type",
  "filters",
  "search_context_size",
  "user_location",
]);

/** A search of the web that the vendor makes; undefined: the tool is another one. */
export function decodeResponsesWebSearchOptions(
  tool: RequestFieldReader,
  type: string,
): WebSearchOptions | undefined {
  if (!searchTypes.has(type)) return undefined;
  const filters = tool.object("filters");
  const rest = tool.unknownNames(members).filter((name) => isSaid(tool, name));
  return {
    path: tool.path,
    allowedDomains: locate(filters, "allowed_domains"),
    blockedDomains: locate(filters, "blocked_domains"),
    location: tool.object("user_location")?.value,
    size: locate(tool, "search_context_size"),
    uses: undefined,
    others: rest.map((name) => tool.pathOf(name)),
  };
}

/** `external_web_access: true` is the default, and what the others do. */
function isSaid(tool: RequestFieldReader, name: string): boolean {
  const isDefault = name === "external_web_access" && tool.value[name] === true;
  return tool.has(name) && !isDefault;
}

function locate(reader: RequestFieldReader | undefined, name: string) {
  if (reader === undefined || !reader.has(name)) return undefined;
  return { path: reader.pathOf(name), value: reader.value[name] };
}

/** Chat asks for its search beside its tools. */
export function encodeResponsesSearchOptionsAsTools(
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const { search } = writing.request;
  return search === undefined ? [] : [encodeResponsesWebSearch(search, writing)];
}

/** The vendor's tool for a search that another dialect asked for. */
export function encodeResponsesWebSearch(
  search: WebSearchOptions,
  { warnings: ledger }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const { allowedDomains, blockedDomains, location, size, uses, others } = search;
  if (blockedDomains !== undefined) {
    ledger.reject(blockedDomains.path, "This upstream can only be told which domains to search.");
  }
  for (const path of [...(uses === undefined ? [] : [uses.path]), ...others]) {
    ledger.drop(path, "unsupported");
  }
  return {
    type: "web_search",
    ...(allowedDomains === undefined ? {} : { filters: { allowed_domains: allowedDomains.value } }),
    ...(size === undefined ? {} : { search_context_size: size.value }),
    ...(location === undefined ? {} : { user_location: { type: "approximate", ...location } }),
  };
}
