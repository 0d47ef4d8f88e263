import type { Server } from "node:net";

/**
 * Listens on a free loopback port, prints `ready http://127.0.0.1:<port>`, and
 * ends with the parent process, however that ends.
 */
export function announceWhenListening(server: Server): void {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no TCP port");
    process.stdout.write(`ready http://127.0.0.1:${address.port}\n`);
  });
  process.on("disconnect", () => process.exit());
}
