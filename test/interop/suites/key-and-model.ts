import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { asObject } from "../../../src/dialect/json.ts";
import type { Target } from "./suite.ts";

/** Stands before the gateway for suites that have a key and models of their own. */
export interface KeyAndModel extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
}

/** Starts it: the target's key and model take the place of what a suite sends. */
export async function putKeyAndModel(target: Target): Promise<KeyAndModel> {
  const server = createServer((incoming, answer) => {
    void forward(incoming, answer, target);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { url, lane }: Target,
): Promise<void> {
  const body = await text(incoming);
  const headers = { "content-type": "application/json", authorization: `Bearer ${lane.key}` };
  const { method = "GET", url: path = "/" } = incoming;
  const outgoing = ask(new URL(path, url), { method, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    given.pipe(answer);
  });
  outgoing.once("error", () => answer.destroy());
  outgoing.end(withModel(body, lane.model));
}

function withModel(sent: string, model: string): string {
  const body = sent === "" ? undefined : asObject(JSON.parse(sent));
  return body === undefined ? sent : JSON.stringify({ ...body, model });
}
