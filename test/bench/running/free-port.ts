import { once } from "node:events";
import { createServer } from "node:net";

/** A loopback port that is free now, for programs that cannot pick one and tell it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  return address.port;
}
