import type { IncomingHttpHeaders } from "node:http";

/** Headers by which a model call is made; no credential is among them. */
const names = [
  "accept",
  "user-agent",
  "openai-beta",
  "x-svc-route",
  "x-svc-session",
  "x-svc-strict",
  "x-svc-tags",
];

/** What of the headers of a call is stored with its turn. */
export function selectTurnRequestHeaders(
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const kept = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(kept);
}
