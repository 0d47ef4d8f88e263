import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createStrictUpstream, type StrictExchange } from "./strict-upstream.ts";

export interface StrictUpstream {
  readonly origin: string;
  /** The calls so far, refused ones included. */
  readonly exchanges: readonly StrictExchange[];
}

/** Starts the double on a free port of 127.0.0.1; it ends with the test. */
export async function startStrictUpstream(): Promise<StrictUpstream> {
  const exchanges: StrictExchange[] = [];
  const server = createStrictUpstream((exchange) => void exchanges.push(exchange));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, exchanges };
}
