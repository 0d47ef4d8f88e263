import { stringifySetCookie, type SetCookie } from "cookie";
import { sessionCookieName } from "../platform/credentials.ts";

/** The longest that browsers keep a cookie. The server decides earlier when a session ends. */
const maxAgeSeconds = 400 * 24 * 60 * 60;

/** The `set-cookie` value that keeps a session in a browser. */
export function serializeSessionCookie(token: string, publicUrl: string): string {
  return setCookie({ value: token, maxAge: maxAgeSeconds }, publicUrl);
}

/** The `set-cookie` value that makes a browser forget it. */
export function serializeExpiredSessionCookie(publicUrl: string): string {
  return setCookie({ value: "", maxAge: 0 }, publicUrl);
}

/** Over plain http browsers would drop a cookie that is marked secure. */
function setCookie(kept: Pick<SetCookie, "value" | "maxAge">, publicUrl: string): string {
  const secure = new URL(publicUrl).protocol === "https:";
  const name = sessionCookieName;
  return stringifySetCookie({ name, ...kept, path: "/", httpOnly: true, sameSite: "lax", secure });
}
