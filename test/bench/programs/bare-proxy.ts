/**
 * Baseline: the least that a Node proxy can do. node:http on one side, undici
 * dispatch with raw headers on the other; no router, no credentials, no checks.
 * The first segment of the path names the upstream.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Pool, type Dispatcher } from "undici";
import { announceWhenListening } from "./announce.ts";
import { upstreamOrigins } from "./upstream-origins.ts";

const pools = new Map(
  Object.entries(upstreamOrigins()).map(([name, origin]) => [name, new Pool(origin)]),
);

/** Headers of this hop only, and those that undici writes itself. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding"]);

function withoutOwnHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (!ownHeaders.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function rawHeaders(controller: Dispatcher.DispatchController): string[] {
  const raw = controller.rawHeaders;
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((part) => (typeof part === "string" ? part : part.toString("latin1")));
  const kept: string[] = [];
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [name = "", value = ""] = [texts[at], texts[at + 1]];
    if (!/^(?:connection|keep-alive|transfer-encoding)$/i.test(name)) kept.push(name, value);
  }
  return kept;
}

class ResponseWriter implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#response.once("close", () => {
      if (!this.#response.writableFinished) controller.abort(new Error("the caller left"));
    });
    this.#response.on("drain", () => controller.resume());
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#response.writeHead(status, rawHeaders(controller));
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (!this.#response.write(bytes)) controller.pause();
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end();
  }
}

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const path = request.url ?? "/";
  const pool = pools.get(path.split("/", 2)[1] ?? "");
  if (pool === undefined) {
    response.writeHead(404).end();
    return;
  }
  const headers = withoutOwnHeaders(request.rawHeaders);
  pool.dispatch({ method: "POST", path, headers, body }, new ResponseWriter(response));
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (bytes: Buffer) => parts.push(bytes));
  request.on("end", () => {
    const [only] = parts;
    const body = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    forward(request, response, body);
  });
});

announceWhenListening(server);
