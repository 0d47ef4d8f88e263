import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A request that a fake source has received whole. */
export interface SourceRequest {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
}

/** What is served at a path: JSON, text, bytes, or an answer of one's own. */
export type Served =
  | { readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly text: string | Buffer; readonly headers?: Readonly<Record<string, string>> }
  | { readonly answer: (request: SourceRequest, response: ServerResponse) => unknown };

/** Makes the requests of some paths go wrong. */
export type Fault = (response: ServerResponse, request: SourceRequest) => unknown;

/**
 * All registries, repository hosts and advisory sources at one loopback
 * address, each below a folder of its own. What is not served is 404 in HTML.
 */
export interface FakeSources {
  readonly origin: string;
  readonly requests: SourceRequest[];
  /** Before every answer, in milliseconds. */
  delayMs: number;
  /** The most requests that were not yet answered at a time; a test may set it back. */
  mostAtOnce: number;
  serve(path: string, served: Served): void;
  /** Until it is taken back: every request whose path begins so. */
  fail(prefix: string, fault: Fault): () => void;
  /** How many requests have begun so. */
  count(prefix: string): number;
  /** Content of a configuration file that names every one. */
  configuration(): {
    readonly registries: Record<string, string>;
    readonly sources: Record<string, string>;
  };
  close(): Promise<void>;
}

const ecosystems = ["npm", "pypi", "cargo", "rubygems", "go", "maven", "nuget", "packagist"];
const others = ["osv", "depsdev", "ecosystems", "github", "gitlab", "forgejo", "endoflife"];

/** Starts it on a free port of 127.0.0.1. */
export async function startFakeSources(): Promise<FakeSources> {
  const pages = new Map<string, Served>();
  const faults = new Map<string, Fault>();
  const requests: SourceRequest[] = [];
  let open = 0;
  const server = createServer((message, response) => {
    open += 1;
    fake.mostAtOnce = Math.max(fake.mostAtOnce, open);
    response.once("close", () => (open -= 1));
    void received(message).then(async (request) => {
      requests.push(request);
      if (fake.delayMs > 0) await delay(fake.delayMs);
      const fault = [...faults].find(([prefix]) => request.path.startsWith(prefix))?.[1];
      if (fault !== undefined) return fault(response, request);
      return send(pages.get(request.path.replace(/\?.*$/, "")), request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addresses = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `${origin}/${name}`]));
  const fake: FakeSources = {
    origin,
    requests,
    delayMs: 0,
    mostAtOnce: 0,
    serve: (path, served) => void pages.set(path, served),
    fail: (prefix, fault) => {
      faults.set(prefix, fault);
      return () => void faults.delete(prefix);
    },
    count: (prefix) => requests.filter(({ path }) => path.startsWith(prefix)).length,
    configuration: () => ({ registries: addresses(ecosystems), sources: addresses(others) }),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

async function received(message: IncomingMessage): Promise<SourceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

function send(
  served: Served | undefined,
  request: SourceRequest,
  response: ServerResponse,
): unknown {
  if (served === undefined) {
    return response
      .writeHead(404, { "content-type": "text/html" })
      .end("<!doctype html><html><body>Not found</body></html>");
  }
  if ("answer" in served) return served.answer(request, response);
  if ("json" in served) {
    return response
      .writeHead(200, { "content-type": "application/json", ...served.headers })
      .end(JSON.stringify(served.json));
  }
  return response.writeHead(200, { ...served.headers }).end(served.text);
}
