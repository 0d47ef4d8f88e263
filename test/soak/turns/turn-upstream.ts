import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** One request for an answer. */
export interface TurnDial {
  /** Number of the turn, which its prompt tells. */
  readonly turn: number;
  /** `performance.now()`. */
  readonly at: number;
}

/** A chat upstream that speaks slowly, and remembers who asked. */
export interface TurnUpstream {
  readonly baseUrl: string;
  readonly dials: readonly TurnDial[];
  close(): void;
}

const words = 12;

/** Starts it; each word takes `wordMs`. */
export async function startTurnUpstream(wordMs: number): Promise<TurnUpstream> {
  const dials: TurnDial[] = [];
  const server = createServer((request, response) => {
    // A caller that is killed ends an answer in any place.
    serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET") return void response.end(modelList);
    const body = (await readJson(request)) as { readonly messages: readonly { content: string }[] };
    dials.push({ turn: numberIn(body.messages.at(-1)?.content ?? ""), at: performance.now() });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let at = 0; at < words && !response.destroyed; at += 1) {
      response.write(frame({ content: `word${at} ` }, null));
      await delay(wordMs);
    }
    response.write(frame({}, "stop"));
    response.end(`data: ${usage}\n\ndata: [DONE]\n\n`);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    dials,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const modelList = JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] });

const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };

const usage = JSON.stringify({
  ...chunk,
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: words, total_tokens: 10 + words },
});

function frame(delta: object, finish_reason: string | null): string {
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

function numberIn(text: string): number {
  return Number(/turn (\d+)/.exec(text)?.[1] ?? Number.NaN);
}
