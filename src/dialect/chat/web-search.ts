import { withoutUndefined } from "../json.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import type { HostedTool, NeutralRequest, WebSearchOptions } from "../neutral-request.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";
import type { ChatWireObject } from "./wire.ts";

/** `web_search_options`; undefined: the caller wants no search. */
export function decodeChatWebSearchOptions(body: RequestFieldReader): WebSearchOptions | undefined {
  const options = body.object("web_search_options");
  if (options === undefined) return undefined;
  const size = options.value["search_context_size"] ?? undefined;
  const outer = options.object("user_location");
  return {
    path: options.path,
    allowedDomains: undefined,
    blockedDomains: undefined,
    // `{type, approximate: {...}}` here, flat elsewhere.
    location: outer?.object("approximate")?.value ?? outer?.value,
    size:
      size === undefined ? undefined : { path: options.pathOf("search_context_size"), value: size },
    uses: undefined,
    others: [],
  };
}

/** The tools of another dialect that are not a tool here; the others are written as ever. */
export function findChatWebSearchTool(
  { tools, origin }: NeutralRequest,
  writing: ChatRequestEncodingContext,
): HostedTool | undefined {
  if (origin === "dialect_chat" || !writing.capabilities.serverTools.includes("web_search")) {
    return undefined;
  }
  return tools.find((tool) => tool.type === "hosted" && tool.webSearch !== undefined) as
    | HostedTool
    | undefined;
}

/** The option for a search that another dialect asked for as a tool. */
export function encodeChatWebSearch(
  search: WebSearchOptions | undefined,
  { warnings: ledger }: ChatRequestEncodingContext,
): ChatWireObject {
  if (search === undefined) return {};
  const { allowedDomains, blockedDomains, location, size, uses, others } = search;
  const filter = allowedDomains ?? blockedDomains;
  if (filter !== undefined) ledger.reject(filter.path, "This upstream searches all domains.");
  for (const path of [...(uses === undefined ? [] : [uses.path]), ...others]) {
    ledger.drop(path, "unsupported");
  }
  const { type: _type, ...place } = location ?? {};
  const options = withoutUndefined({
    search_context_size: size?.value,
    user_location: location === undefined ? undefined : { type: "approximate", approximate: place },
  });
  return { web_search_options: options };
}
