import { parseCookie } from "cookie";
import { ApiError } from "./errors.ts";

/** The request headers that can carry a credential. */
export interface CallerCredentialHeaders {
  readonly authorization?: string | undefined;
  readonly "x-api-key"?: string | undefined;
  readonly cookie?: string | undefined;
}

/** The credential that a request presents, and where it stood. */
export interface PresentedCredential {
  readonly source: "bearer" | "x-api-key" | "cookie";
  readonly token: string;
}

/** Name of the session cookie. */
export const sessionCookieName = "causeway_session";

/**
 * Reads the one credential of a request: a header goes before the cookie, and both headers
 * may be sent if they say the same. Throws 401 `unauthorized` when they differ or when
 * `authorization` is no bearer; undefined when there is none.
 */
export function readCredential(headers: CallerCredentialHeaders): PresentedCredential | undefined {
  const bearer = readBearer(headers.authorization);
  const apiKey = headers["x-api-key"]?.trim();
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    throw new ApiError(
      "unauthorized",
      "`authorization` and `x-api-key` hold different credentials; send one of them.",
    );
  }
  if (bearer !== undefined) return { source: "bearer", token: bearer };
  if (apiKey !== undefined) return { source: "x-api-key", token: apiKey };
  const cookie = headers.cookie && parseCookie(headers.cookie)[sessionCookieName];
  return cookie === undefined ? undefined : { source: "cookie", token: cookie };
}

function readBearer(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const match = /^bearer +(\S+) *$/i.exec(authorization);
  if (match?.[1] === undefined) {
    throw new ApiError("unauthorized", "`authorization` must be `Bearer` and one token.");
  }
  return match[1];
}
