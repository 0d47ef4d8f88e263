import { sessionCookieName } from "../platform/credentials.ts";

/** The longest that browsers keep a cookie. The server decides earlier when a session ends. */
const longestSeconds = 400 * 24 * 60 * 60;

/** The `set-cookie` value that keeps a session in a browser. */
export function sessionCookie(token: string, publicUrl: string): string {
  return `${sessionCookieName}=${token}; Max-Age=${longestSeconds.toString()}; ${attributes(publicUrl)}`;
}

/** The `set-cookie` value that makes a browser forget it. */
export function clearedSessionCookie(publicUrl: string): string {
  return `${sessionCookieName}=; Max-Age=0; ${attributes(publicUrl)}`;
}

/** Over plain http browsers would drop a cookie that is marked secure. */
function attributes(publicUrl: string): string {
  const isSecure = new URL(publicUrl).protocol === "https:";
  return `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}
