import { ServerResponse, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Only upgrades reach the route: the method of its path is none for other requests. */
    isUpgrade?: boolean;
  }
}

/** What came behind the headers of the upgrades that are being served. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** The first bytes of the other protocol; undefined: the request is no upgrade that is served. */
export function findHttpUpgradeHeadBytes(request: IncomingMessage): Buffer | undefined {
  return heads.get(request);
}

/**
 * Serves upgrades like any other request, so that they are refused, counted and logged
 * alike. Whoever takes one over calls `endUpgraded` for its response; one that is
 * answered otherwise ends its connection, which Node has given out of hand. Where Node (24.0 to 24.8)
 * cannot tell upgrades from others, they stay ordinary requests. `watch` is called with the
 * connection of each.
 */
export function serveHttpUpgrades(
  server: Server,
  serve: RequestListener,
  watch: (socket: Socket) => void,
): void {
  if (!("shouldUpgradeCallback" in server)) return;
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.set(request, head);
    watch(socket);
    // Node listens no more.
    socket.on("error", ignore);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => {
      socket.destroySoon();
      endResponse(response);
    });
    serve(request, response);
  });
}

/** The connection speaks another protocol from now on: the request for it is over, with 101. */
export function completeUpgradeWithSwitchingProtocols(response: ServerResponse): void {
  response.statusCode = 101;
  endResponse(response);
}

function endResponse(response: ServerResponse): void {
  if (response.socket !== null) response.detachSocket(response.socket);
  response.emit("close");
}

function ignore(): void {}
