import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { startLoopbackServer } from "../../support/loopback-server.ts";

/** A request that a scripted agent got. */
export interface AgentRequest {
  readonly method: string;
  readonly path: string;
  readonly session: string | undefined;
  readonly body: Record<string, unknown>;
}

/** The stream of one turn, as a test tells it. */
export interface AgentStream {
  /** Events without their number. */
  tell(...events: readonly Record<string, unknown>[]): void;
  /** The last event. */
  complete(response?: Record<string, unknown>): void;
  /** Breaks the connection off. */
  drop(): void;
}

/**
 * A gateway whose agent says what a test scripts: what no real one does on demand, such
 * as a connection that breaks between two events.
 */
export interface ScriptedAgent {
  readonly url: string;
  readonly requests: readonly AgentRequest[];
  /** The next stream that is asked for: a new turn, or one that is followed. */
  stream(): Promise<AgentStream>;
  /** From now on no turn is begun until `release`. */
  hold(): void;
  release(): void;
}

export const session = "s_1";
export const turn = "turn_1";

/** Starts it; it ends with the test. */
export async function startScriptedAgent(): Promise<ScriptedAgent> {
  const requests: AgentRequest[] = [];
  const streams: AgentStream[] = [];
  const opened = new EventEmitter();
  let number = 0;
  let held: PromiseWithResolvers<void> | undefined;
  const { origin } = await startLoopbackServer((message, response) => {
    void read(message).then(async (request) => {
      requests.push(request);
      if (request.path.endsWith("/cancel")) return response.end("{}");
      await held?.promise;
      streams.push(open(response, () => number++));
      return opened.emit("stream");
    });
  });
  return {
    url: origin,
    requests,
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => held?.resolve(),
    async stream() {
      for (;;) {
        const next = streams.shift();
        if (next !== undefined) return next;
        await once(opened, "stream");
      }
    },
  };
}

function open(response: ServerResponse, number: () => number): AgentStream {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "x-svc-session": session,
    "x-svc-turn": turn,
  });
  response.flushHeaders();
  const tell: AgentStream["tell"] = (...events) => {
    for (const event of events) {
      const data = JSON.stringify({ ...event, sequence_number: number() });
      response.write(`event: ${String(event["type"])}\ndata: ${data}\n\n`);
    }
  };
  return {
    tell,
    complete(fields) {
      const whole = { id: turn, object: "response", status: "completed", output: [], ...fields };
      const type = whole.status === "completed" ? "response.completed" : "response.incomplete";
      tell({ type, response: whole });
      response.end();
    },
    drop: () => response.destroy(),
  };
}

async function read(message: IncomingMessage): Promise<AgentRequest> {
  let text = "";
  for await (const chunk of message) text += String(chunk);
  const { "x-svc-session": named } = message.headers;
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    session: typeof named === "string" ? named : undefined,
    body: JSON.parse(text || "{}") as Record<string, unknown>,
  };
}
