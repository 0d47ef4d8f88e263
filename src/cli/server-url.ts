import { isIP } from "node:net";
import type { DescMethod } from "@bufbuild/protobuf";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { CallError } from "./call-error.ts";
import type { Caller } from "./caller.ts";
import { trimTrailing } from "../platform/trim-character.ts";

/** A service of the server, and how the environment and a profile say where it is. */
export interface ServerAddress {
  readonly variable: "CAUSEWAY_URL" | "CAUSEWAY_TOOLS_URL";
  readonly member: "url" | "toolsUrl";
  readonly usual: string;
}

export const gateway: ServerAddress = {
  variable: "CAUSEWAY_URL",
  member: "url",
  usual: "http://127.0.0.1:8080",
};
export const tools: ServerAddress = {
  variable: "CAUSEWAY_TOOLS_URL",
  member: "toolsUrl",
  usual: "http://127.0.0.1:8081",
};

/** The service that serves a method. */
export function addressOf({ parent }: DescMethod): ServerAddress {
  return parent.typeName === DepshealthService.typeName ? tools : gateway;
}

/** Where a service is: its variable, else the profile, else its default address. Throws a `CallError` for what is no address. */
export function serverUrl(
  { variable, member, usual }: ServerAddress,
  { environment, profile }: Caller,
): URL {
  const text = environment[variable] || profile?.[member] || usual;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CallError(
      `${variable}: must be an http or https address such as ${usual}, not "${text}"`,
    );
  }
  return url;
}

/** An address as it is kept, shown and compared: without a slash at its end. */
export function plainAddress({ href }: URL): string {
  return trimTrailing(href, "/");
}

/** Whether the address is this machine's own, so that what lies in its files may be sent there. */
export function isLoopback({ hostname }: URL): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
