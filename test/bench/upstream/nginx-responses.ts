import { dialects } from "../wire/dialects.ts";
import type { DialectTraffic } from "../wire/traffic.ts";

/** The `http` block of an nginx that gives the answers that are not streamed. */
export function nginxAnswers(port: number): string {
  const locations = Object.values(dialects).map(location).join("\n");
  return `server {
    listen 127.0.0.1:${port};
    default_type application/json;
    ${locations}
    location / { return 200 '{"object":"list","data":[{"id":"mock","object":"model"}]}'; }
  }`;
}

function location(traffic: DialectTraffic): string {
  return `location /answers/v1${traffic.path} { return 200 ${quoted(traffic.answer)}; }`;
}

/** A string of nginx's configuration; it has no escape for a variable's sign. */
function quoted(text: string): string {
  if (text.includes("$")) throw new Error("nginx would read $ as a variable");
  return `'${text.replaceAll("\\", String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
