import { connect, constants, type ClientHttp2Session } from "node:http2";
import { Pool } from "undici";
import type { Answer, CallCase } from "../fuzz-case.ts";
import { grpcStatusesIn } from "./grpc-statuses.ts";

/** Longer than any answer takes: the upstream limits of the server under test are far below. */
const longestMs = 10_000;

/** An answer that goes on for ever is read for so long. */
const streamMs = 300;

const mostBytes = 64 * 1024;

/** Makes well-framed calls at one address, on connections that are kept. */
export class Caller {
  readonly #url: string;
  readonly #pool: Pool;
  #session: ClientHttp2Session | undefined;

  constructor(url: string) {
    this.#url = url;
    this.#pool = new Pool(url, { connections: 256, pipelining: 1, keepAliveTimeout: 30_000 });
  }

  call(given: CallCase): Promise<Answer> {
    return given.version === "http1" ? this.#callHttp1(given) : this.#callHttp2(given);
  }

  async close(): Promise<void> {
    this.#session?.destroy();
    await this.#pool.destroy();
  }

  async #callHttp1({ method, path, headers, body }: CallCase): Promise<Answer> {
    const limit = AbortSignal.timeout(longestMs);
    try {
      const response = await this.#pool.request({
        method,
        path,
        headers: { ...headers },
        body: body ?? null,
        signal: limit,
      });
      const text = await readSome(response.body);
      const head = Object.entries(response.headers).map(
        ([name, value]) => `${name}: ${String(value)}`,
      );
      const grpcStatuses = grpcStatusesIn([...head, text].join("\n"));
      return {
        statuses: [response.statusCode],
        grpcStatuses,
        text: `${head.join("\n")}\n\n${text}`,
        isLate: false,
      };
    } catch {
      return { ...nothing, isLate: limit.aborted };
    }
  }

  #callHttp2({ method, path, headers, body }: CallCase): Promise<Answer> {
    const session = this.#openSession();
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    const lines: string[] = [];
    const statuses: number[] = [];
    const chunks: Buffer[] = [];
    let size = 0;
    const note = (fields: object) => {
      for (const [name, value] of Object.entries(fields)) lines.push(`${name}: ${String(value)}`);
    };
    return new Promise((resolve) => {
      const finish = (isLate: boolean): void => {
        clearTimeout(limit);
        clearTimeout(patience);
        const text = [...lines, "", Buffer.concat(chunks).toString("latin1")].join("\n");
        resolve({ statuses, grpcStatuses: grpcStatusesIn(text), text, isLate });
      };
      const limit = setTimeout(() => {
        stream.close(constants.NGHTTP2_CANCEL);
        // What Node has not sent when a session is closed, below, it may never send.
        finish(!session.closed);
      }, longestMs);
      let patience: NodeJS.Timeout | undefined;
      stream.on("error", () => undefined);
      stream.on("response", (fields) => {
        statuses.push(Number(fields[":status"]));
        note(fields);
        patience = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), streamMs);
      });
      stream.on("trailers", note);
      stream.on("data", (bytes: Buffer) => {
        if (size < mostBytes) chunks.push(bytes);
        size += bytes.length;
      });
      stream.once("close", () => {
        // A session that has been sent too much for its memory refuses all that follows.
        if (stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) session.close();
        finish(false);
      });
      stream.end(body);
    });
  }

  #openSession(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connect(this.#url);
    session.on("error", () => undefined).on("goaway", () => session.close());
    this.#session = session;
    return session;
  }
}

const nothing = { statuses: [], grpcStatuses: [], text: "" };

/** The beginning of a body, of which the rest is left when it does not end. */
async function readSome(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const patience = setTimeout(() => body.destroy(), streamMs);
  try {
    for await (const chunk of body) {
      if (size < mostBytes) chunks.push(chunk);
      size += chunk.length;
    }
  } catch {
    // It was cut, by the server or by us.
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).toString("latin1");
}
