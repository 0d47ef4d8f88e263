/**
 * Where a base address is dialled: a trailing slash is ignored, and an address without a
 * path means `/v1`. Operations are appended to its `pathname`.
 */
export function callableAddress(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path === "" ? "/v1" : path;
  return url;
}
