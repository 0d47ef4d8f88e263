import { ApiError } from "../platform/errors.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses a request that a browser sent with the session cookie on behalf of another site.
 * Reading is allowed, because no other origin may see the answer; what can change something
 * must show by `Sec-Fetch-Site` or `Origin` that it comes from this origin.
 */
export function assertSameOrigin(headers: Headers, httpMethod: string, publicUrl: string): void {
  if (safeMethods.has(httpMethod) || isSameOrigin(headers, publicUrl)) return;
  throw new ApiError(
    "insufficient_scope",
    "A request with the session cookie must come from this origin; send the session as `Authorization: Bearer`.",
  );
}

function isSameOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const { origin: from, host } = new URL(origin);
  return from === new URL(publicUrl).origin || host === headers.get("host");
}
