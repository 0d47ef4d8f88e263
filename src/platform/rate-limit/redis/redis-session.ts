import { isIP } from "node:net";
import type { RedisAddress } from "./redis-address.ts";

/** One connection to the server, from sign-in to its end. */
export interface RedisConnection {
  /** Sends a command. Rejects with the server's error, or when the connection has ended. */
  send(command: readonly string[]): Promise<unknown>;
  /** Ends it at once, whatever is under way. */
  end(): void;
}

export interface RedisConnectionOptions {
  readonly address: RedisAddress;
  /** Milliseconds that connecting and signing in may take. */
  readonly openMs: number;
  /** The open connection was lost; it does not come back by itself. */
  readonly onLost: (error: Error) => void;
}

/**
 * Connects and signs in. The library is loaded here, where somebody uses Redis. It
 * dials by itself and not through the checked dialer: where Redis is, the operator
 * says, as with `DATABASE_URL`; no caller has a part in it.
 *
 * The library neither connects again nor queues commands meanwhile: who asks is
 * answered by another bucket at once, and what would wait has no use later.
 */
export async function openRedisConnection(
  options: RedisConnectionOptions,
): Promise<RedisConnection> {
  const { address, openMs, onLost } = options;
  const { createClient } = await import("@redis/client");
  const { username, password, database } = address;
  const client = createClient({
    // The older protocol needs no greeting, which proxies and old servers refuse.
    RESP: 2,
    maintNotifications: "disabled",
    disableClientInfo: true,
    disableOfflineQueue: true,
    socket: { ...socketOf(address), connectTimeout: openMs, reconnectStrategy: false },
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password: password.reveal() }),
  });
  let isOpen = false;
  client.on("error", (error: Error) => {
    if (isOpen) onLost(error);
  });
  const end = () => {
    isOpen = false;
    client.destroy();
  };
  // A server that takes the connection and says nothing is no case of `connectTimeout`.
  const limit = setTimeout(end, openMs);
  try {
    await client.connect();
    isOpen = true;
  } finally {
    clearTimeout(limit);
  }
  return { send: (command) => client.sendCommand([...command]), end };
}

function socketOf({ host, port, isEncrypted }: RedisAddress) {
  if (!isEncrypted) return { host, port };
  // An address has no place in the name that TLS sends.
  return { host, port, tls: true as const, ...(isIP(host) === 0 && { servername: host }) };
}
