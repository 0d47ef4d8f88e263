import { once } from "node:events";
import type { Server } from "node:net";
import { ConfigurationError } from "../../platform/configuration/configuration-error.ts";
import { OperatorError } from "../../platform/operator-error.ts";

/** Where a server listens: the address it really has, the port it really got. */
export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

/** The environment variables that a failure to listen has to name. */
export interface ListenAddressVariableNames {
  /** For instance `CAUSEWAY_HOST`. */
  readonly host: string;
  /** For instance `CAUSEWAY_PORT`. */
  readonly port: string;
}

/** A port that could not be opened; one line that names the variable to change. */
export class ListenError extends OperatorError {
  override readonly name = "ListenError";
}

/**
 * Port 0 picks a free one. IPv6 addresses go with and without brackets. Rejects
 * with a `ListenError`, or a `ConfigurationError` for an address that this
 * machine does not have.
 */
export async function listenOnAddress(
  server: Server,
  host: string,
  port: number,
  variables: ListenAddressVariableNames,
): Promise<BoundAddress> {
  const name = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  server.listen({ host: name, port });
  try {
    await once(server, "listening");
  } catch (error) {
    throw explain(error, name, port, variables);
  }
  const address = server.address();
  return typeof address === "object" && address !== null
    ? { host: address.address, port: address.port }
    : { host: name, port };
}

/** A port in use may be free the next time; an address that cannot be had is a bad setting. */
function explain(
  error: unknown,
  host: string,
  port: number,
  variables: ListenAddressVariableNames,
): OperatorError {
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "EADDRINUSE":
      return new ListenError(
        `${variables.port}: port ${port} on ${host} is in use; stop what uses it, set another port, or 0 for any free one.`,
        { cause: error },
      );
    case "EACCES":
      return new ConfigurationError(
        variables.port,
        `this account may not open port ${port}; set one above 1023.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ConfigurationError(variables.host, `${host} is no address of this machine.`);
    default:
      return new ListenError(
        `${variables.host}, ${variables.port}: cannot listen on ${host}, port ${port}: ${String(error)}`,
        { cause: error },
      );
  }
}
