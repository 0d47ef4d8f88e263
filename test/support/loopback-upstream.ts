import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream that lists models and answers every call alike, for a whole test file. */
export interface LoopbackUpstream {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Starts it on a free port; `startFakeUpstream` is the one that a test scripts. */
export async function startLoopbackUpstream(ids: readonly string[]): Promise<LoopbackUpstream> {
  const data = ids.map((id) => ({ id, object: "model" }));
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
