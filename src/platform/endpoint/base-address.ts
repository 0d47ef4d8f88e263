import { trimTrailingCharacter } from "../trim-character.ts";
/**
 * Where a base address is dialled: a trailing slash is ignored, and an address without a
 * path means `/v1`. Operations are appended to its `pathname`.
 */
export function normalizeEndpointBaseUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const path = trimTrailingCharacter(url.pathname, "/");
  url.pathname = path === "" ? "/v1" : path;
  return url;
}
