import { createHash } from "node:crypto";

export interface HtmlResponseHeaderOptions {
  /**
   * The page has forms that it sends to this server without script. Browsers then
   * say where a form comes from; they would not under `no-referrer`. False if omitted.
   */
  readonly sendsForms?: boolean;
  /** A script of the page writes styles, which no hash can know before. False if omitted. */
  readonly writesStyles?: boolean;
}

/**
 * The response headers of an HTML page. Scripts and styles are taken only from this
 * server, or inline when they stand in `html` now; nothing is loaded from or sent
 * to another host, and no other site may frame the page.
 */
export function buildHtmlHeaders(
  html: string,
  { sendsForms = false, writesStyles = false }: HtmlResponseHeaderOptions = {},
): Record<string, string> {
  const styles = writesStyles ? ["'unsafe-inline'"] : inlineHashes(html, "style");
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...inlineHashes(html, "script")].join(" "),
    ["style-src 'self'", ...styles].join(" "),
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    sendsForms ? "form-action 'self'" : "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": sendsForms ? "same-origin" : "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
  };
}

function inlineHashes(html: string, element: "script" | "style"): string[] {
  const form = new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, "g");
  const bodies = [...html.matchAll(form)].map(([, body = ""]) => body);
  return bodies.filter((body) => body !== "").map((body) => `'sha256-${sha256(body)}'`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
