import { once } from "node:events";
import { createServer, type Server } from "node:net";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import { listenOnAddress, type ListenAddressVariableNames } from "../../transport/front/listen.ts";
import type { HttpServiceName } from "../service-name.ts";

/** Where a service is told to listen, and by which variables. */
export interface ListenAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly variables: ListenAddressVariableNames;
}

/** The address that the configuration gives to a service. */
export function readListenAddress(
  service: HttpServiceName,
  { host, port, toolsPort }: Configuration,
): ListenAddress {
  return service === "gateway"
    ? { host, port, variables: { host: "CAUSEWAY_HOST", port: "CAUSEWAY_PORT" } }
    : { host, port: toolsPort, variables: { host: "CAUSEWAY_HOST", port: "CAUSEWAY_TOOLS_PORT" } };
}

/**
 * Opens the addresses for a moment, all at once, so that a start that cannot
 * listen fails before it has made a database. Rejects as `listen` does.
 */
export async function assertListenAddressesAvailable(
  addresses: readonly ListenAddress[],
): Promise<void> {
  const servers: Server[] = [];
  try {
    for (const { host, port, variables } of addresses) {
      const server = createServer();
      await listenOnAddress(server, host, port, variables);
      servers.push(server);
    }
  } finally {
    await Promise.all(servers.map(close));
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
