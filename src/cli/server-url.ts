import { isIP } from "node:net";
import { CallError } from "./call-error.ts";

/** Where the server is: `CAUSEWAY_URL`, else its default address. Throws a `CallError` for what is no address. */
export function serverUrl(environment: NodeJS.ProcessEnv): URL {
  const text = environment["CAUSEWAY_URL"] || "http://127.0.0.1:8080";
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CallError(
      `CAUSEWAY_URL: must be an http or https address such as http://127.0.0.1:8080, not "${text}"`,
    );
  }
  return url;
}

/** Whether the address is this machine's own, so that what lies in its files may be sent there. */
export function isLoopback({ hostname }: URL): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
