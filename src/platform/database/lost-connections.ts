import { setStallTolerantTimeout } from "../free-time.ts";
import type { Pool, PoolClient } from "pg";

/** A statement fails with its connection; whoever sent it gives the connection back well within this. */
const graceMs = 1000;

/**
 * Takes connections back that are lost while a transaction has them. A transaction
 * gives its connection back after its commit or rollback, and over a connection
 * that is gone neither succeeds: its place in the pool would be taken for ever,
 * and the end of the pool would wait for it.
 */
export function releaseLostPoolConnections(pool: Pool): void {
  const inUse = new Set<PoolClient>();
  pool.on("acquire", (client) => inUse.add(client));
  pool.on("release", (_error, client) => inUse.delete(client));
  pool.on("connect", (client) => {
    client.once("end", () => {
      setStallTolerantTimeout(graceMs, () => {
        if (inUse.has(client)) client.release(true);
      });
    });
  });
}
