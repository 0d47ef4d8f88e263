import { isIP } from "node:net";
import type { DescMethod } from "@bufbuild/protobuf";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { CallError } from "./call-error.ts";

/** A service of the server, and how the environment says where it is. */
export interface ServerAddress {
  readonly variable: "CAUSEWAY_URL" | "CAUSEWAY_TOOLS_URL";
  readonly usual: string;
}

const gateway: ServerAddress = { variable: "CAUSEWAY_URL", usual: "http://127.0.0.1:8080" };
const tools: ServerAddress = { variable: "CAUSEWAY_TOOLS_URL", usual: "http://127.0.0.1:8081" };

/** The service that serves a method. */
export function addressOf({ parent }: DescMethod): ServerAddress {
  return parent.typeName === DepshealthService.typeName ? tools : gateway;
}

/** Where a service is: its variable, else its default address. Throws a `CallError` for what is no address. */
export function serverUrl({ variable, usual }: ServerAddress, environment: NodeJS.ProcessEnv): URL {
  const text = environment[variable] || usual;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CallError(
      `${variable}: must be an http or https address such as ${usual}, not "${text}"`,
    );
  }
  return url;
}

/** Whether the address is this machine's own, so that what lies in its files may be sent there. */
export function isLoopback({ hostname }: URL): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
