import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An upstream that lists models and answers every call alike, for a whole test file. */
export interface LoopbackUpstream {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** Bodies of the calls so far. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** Starts it on a free port; `startFakeUpstream` is the one that a test scripts. */
export async function startLoopbackUpstream(
  models: readonly (string | { readonly id: string; readonly [member: string]: unknown })[],
): Promise<LoopbackUpstream> {
  const listed = models.map((model) => (typeof model === "string" ? { id: model } : model));
  const data = listed.map((model) => ({ ...model, object: "model" }));
  const calls: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === "POST") void text(request).then((body) => calls.push(body));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
