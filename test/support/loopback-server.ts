import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** An HTTP server on a free port of 127.0.0.1 that counts its connections. */
export interface LoopbackServer {
  readonly port: number;
  readonly origin: string;
  /** Connections accepted so far. */
  connections(): number;
  /** Resolves when that many connections have been accepted and all are closed. */
  allClosed(count: number): Promise<void>;
}

/** Starts the server; it ends, connections included, with the test. */
export async function startLoopbackServer(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener);
  const watch = watchConnections(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}`, ...watch };
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function watchConnections(server: Server): Pick<LoopbackServer, "connections" | "allClosed"> {
  const open = new Set<Socket>();
  const changes = new EventEmitter();
  const isOver = (count: number): boolean => accepted >= count && open.size === 0;
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      changes.emit("closed");
    });
  });
  return {
    connections: () => accepted,
    allClosed: async (count) => {
      while (!isOver(count)) await once(changes, "closed");
    },
  };
}
