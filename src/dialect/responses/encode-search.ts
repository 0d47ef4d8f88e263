import type { WebSearch } from "../turn.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** Chat asks for its search beside its tools. */
export function searchTools(writing: Writing): readonly WireObject[] {
  const { search } = writing.turn;
  return search === undefined ? [] : [encodeSearch(search, writing)];
}

/** The vendor's tool for a search that another dialect asked for. */
export function encodeSearch(search: WebSearch, { ledger }: Writing): WireObject {
  const { allowedDomains, blockedDomains, location, size, uses, others } = search;
  if (blockedDomains !== undefined) {
    ledger.refuse(blockedDomains.path, "This upstream can only be told which domains to search.");
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
