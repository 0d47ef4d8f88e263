import type { Server, ServerResponse } from "node:http";

/** How often connections that became idle are looked for while draining. */
const sweepMs = 100;

/**
 * Stops a listening server in order: no new connection, idle ones closed at
 * once, every other one as soon as its answer is out. Resolves when none is left.
 */
export async function drainServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.prependListener("request", (_request, response: ServerResponse) => {
    response.setHeader("connection", "close");
  });
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  await closed.finally(() => clearInterval(sweep));
}
