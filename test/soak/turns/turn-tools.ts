import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

/** A call that a tool has been asked for. */
export interface CountedCall {
  /** `move` must not be made twice; `look` may be. */
  readonly tool: string;
  /** Number of the turn, and of the call within it. */
  readonly turn: number;
  readonly call: number;
  /** What the server names the call by. */
  readonly callName: string;
}

/** An MCP server of the official package whose tools count their calls. */
export interface TurnTools {
  readonly url: string;
  readonly calls: readonly CountedCall[];
  close(): void;
}

const inputSchema = { type: "object" as const };

const tools = [
  { name: "move", inputSchema },
  { name: "look", inputSchema, annotations: { readOnlyHint: true } },
];

/** Starts it; each call takes `callMs`. */
export async function startTurnTools(callMs: number): Promise<TurnTools> {
  const calls: CountedCall[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "counted", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      calls.push(countedCall(params));
      await delay(callMs);
      return { content: [{ type: "text" as const, text: "done" }] };
    });
    return server;
  });
  const server = createServer((request, response) => {
    // A caller that is killed ends a call in any place.
    serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await handler.fetch(webRequest(request, await readText(request)));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Calls that were made twice and must not be, in words. */
export function repeatedMoves(calls: readonly CountedCall[]): readonly string[] {
  const moves = calls.filter(({ tool }) => tool === "move");
  const byPlace = Map.groupBy(moves, ({ turn, call }) => `turn ${turn}, call ${call}`);
  return [...byPlace].flatMap(([place, made]) =>
    made.length > 1 ? [`${place} was made ${made.length} times`] : [],
  );
}

function countedCall({
  name,
  arguments: asked = {},
  _meta: meta = {},
}: {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}): CountedCall {
  const { turn, call } = asked;
  const callName = String(meta["causeway/call"]);
  return { tool: name, turn: Number(turn), call: Number(call), callName };
}

function webRequest({ method = "", headers }: IncomingMessage, body: string): Request {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const sent = method === "POST" ? body : null;
  return new Request("http://127.0.0.1/mcp", { method, headers: pairs, body: sent });
}
