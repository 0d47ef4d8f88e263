import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import { CliError } from "./cli-error.ts";

/** Longest silence in seconds that `CAUSEWAY_TIMEOUT` may allow; Node's `fetch` ends a call at five minutes. */
const maxSeconds = 290;

/** Seconds without a byte after which a call is given up. */
export const defaultCliIdleTimeoutSeconds = 60;

/** For calls that wait for models and for public sources. */
export const cliSlowResponseIdleTimeoutSeconds = 240;

/** Returns the longest silence of a server in milliseconds. Throws a `CliError` for a setting that is no such number. */
export function readIdleTimeoutMs(environment: NodeJS.ProcessEnv, usual: number): number {
  const text = environment["CAUSEWAY_TIMEOUT"] || usual.toString();
  const seconds = Number(text);
  if (seconds > 0 && seconds <= maxSeconds) return seconds * 1000;
  const limits = `more than 0 and at most ${maxSeconds.toString()}`;
  throw new CliError(`CAUSEWAY_TIMEOUT: must be a number of seconds, ${limits}.`);
}

/** A server that has accepted a call and sends nothing; its code is that of a socket. */
export class CliServerIdleTimeoutError extends Error {
  override readonly name = "SilenceError";
  readonly code = "ETIMEDOUT";

  constructor(limitMs: number) {
    const seconds = (limitMs / 1000).toString();
    super(`it sent nothing for ${seconds} s; CAUSEWAY_TIMEOUT=<seconds> sets another limit`);
  }
}

/** Returns an agent whose connections end with a `CliServerIdleTimeoutError` when nothing passes over them. */
export function createIdleTimeoutAgent({ protocol }: URL, limitMs: number): HttpAgent | HttpsAgent {
  const agent = protocol === "https:" ? new HttpsAgent() : new HttpAgent();
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...call) => {
    const socket = connect(...call) as Socket;
    return socket.setTimeout(limitMs, () => socket.destroy(new CliServerIdleTimeoutError(limitMs)));
  };
  return agent;
}

/** Aborts a call of `fetch` when the server sends nothing. */
export class IdleTimeoutWatcher {
  readonly #limitMs: number;
  readonly #silent = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#timer = setTimeout(
      () => this.#silent.abort(new CliServerIdleTimeoutError(this.#limitMs)),
      limitMs,
    );
    // The connection is what keeps the process, not a stream that nobody reads any more.
    this.#timer.unref();
  }

  get signal(): AbortSignal {
    return this.#silent.signal;
  }

  /** The call has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** Returns the response with a body whose pieces begin the silence anew. */
  watch(response: Response): Response {
    this.#timer.refresh();
    if (response.body === null) {
      this.end();
      return response;
    }
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          this.#timer.refresh();
          controller.enqueue(chunk);
        },
        flush: () => this.end(),
      }),
    );
    return new Response(body, response);
  }
}
