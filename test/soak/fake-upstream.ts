import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Call, CallRegister } from "./call.ts";
import type { Wire } from "./wire/dialect-wire.ts";

const modelList = JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] });

/** An upstream of one dialect that can be killed and started again at the same address. */
export class SoakUpstream {
  readonly wire: Wire;
  readonly #book: CallRegister;
  #server: Server | undefined;
  #port = 0;

  private constructor(wire: Wire, book: CallRegister) {
    this.wire = wire;
    this.#book = book;
  }

  static async start(wire: Wire, book: CallRegister): Promise<SoakUpstream> {
    const upstream = new SoakUpstream(wire, book);
    await upstream.comeBack();
    return upstream;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** All its connections break, and nobody listens any more. */
  async goAway(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async comeBack(): Promise<void> {
    const server = createServer((request, response) => {
      // A caller that hangs up, or our own death, ends an answer in any place.
      this.#serve(request, response).catch(() => response.destroy());
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") return void response.end(modelList);
    const body = (await readJson(request)) as Readonly<Record<string, unknown>>;
    const call = this.#book.find(this.wire.capOf(body));
    if (call === undefined) return refuse(response, 400, "This call is none of the run.");
    call.seen += 1;
    await delay(call.plan.answering.delayMs);
    await this.#answer(response, call, body["stream"] === true);
  }

  async #answer(response: ServerResponse, call: Call, isStream: boolean): Promise<void> {
    const { kind } = call.plan.answering;
    if (kind === "refuse") return refuse(response, call.number % 2 === 0 ? 429 : 503, "Not now.");
    if (kind === "reset") return void response.socket?.resetAndDestroy();
    response.once("finish", () => {
      call.answered += 1;
    });
    if (isStream) return this.#stream(response, call);
    const text = JSON.stringify(this.wire.whole(call.said()));
    if (kind === "whole") return void response.end(text);
    response.writeHead(200, { "content-length": text.length });
    return breakOff(response, text.slice(0, text.length / 2));
  }

  async #stream(response: ServerResponse, call: Call): Promise<void> {
    const said = call.said();
    const { kind, everyMs } = call.plan.answering;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(this.wire.opening(said));
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    const pieces = kind === "break" ? Math.floor(said.pieces.length / 2) : said.pieces.length;
    for (let index = 0; index < pieces; index += 1) {
      const mayGoOn = response.write(this.wire.piece(said, index));
      if (everyMs > 0) await delay(everyMs, undefined, leaving);
      else if (!mayGoOn) await once(response, "drain", leaving);
    }
    if (kind === "break") breakOff(response, "");
    else response.end(this.wire.closing(said));
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const type = status === 429 ? "rate_limit_error" : "overloaded_error";
  const error = { type, message, param: null, code: null };
  response.writeHead(status).end(JSON.stringify({ type: "error", error }));
}

function breakOff(response: ServerResponse, last: string): void {
  response.write(last === "" ? ": \n\n" : last, () => response.socket?.resetAndDestroy());
}
