import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** One request for an answer. */
export interface TurnDial {
  /** Number of the turn, which its prompt tells. */
  readonly turn: number;
  /** Results of calls that it came with: those of one step have the same. */
  readonly answered: number;
  /** `performance.now()`. */
  readonly at: number;
}

/** A chat upstream that speaks slowly, calls tools where it is offered some, and remembers who asked. */
export interface TurnUpstream {
  readonly baseUrl: string;
  readonly dials: readonly TurnDial[];
  close(): void;
}

const words = 12;

/** Calls that a turn with tools asks for, a step each. */
const callsOfSteps = [["move", "look"], ["move"]];

/** Model calls of a turn with tools. */
export const stepsOfAgent = callsOfSteps.length + 1;

interface AskedBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Starts it; each word takes `wordMs`. */
export async function startTurnUpstream(wordMs: number): Promise<TurnUpstream> {
  const dials: TurnDial[] = [];
  const server = createServer((request, response) => {
    // A caller that is killed ends an answer in any place.
    serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET") return void response.end(modelList);
    const body = (await readJson(request)) as AskedBody;
    const asked = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
    const turn = numberIn(asked);
    const answered = body.messages.filter(({ role }) => role === "tool").length;
    dials.push({ turn, answered, at: performance.now() });
    const calls = callsFor(body, turn, answered);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let at = 0; at < words && !response.destroyed; at += 1) {
      response.write(frame({ content: `word${at} ` }, null));
      await delay(wordMs);
    }
    if (calls.length > 0) response.write(frame({ tool_calls: calls }, null));
    response.write(frame({}, calls.length > 0 ? "tool_calls" : "stop"));
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

/** What is called next, as far as the results of earlier calls show how far the turn is. */
function callsFor({ tools = [] }: AskedBody, turn: number, answered: number): readonly object[] {
  if (tools.length === 0) return [];
  const starts = callsOfSteps.map((_, step) => callsOfSteps.slice(0, step).flat().length);
  const names = callsOfSteps[starts.indexOf(answered)] ?? [];
  return names.map((name, index) => {
    const call = answered + index + 1;
    const offered = tools.find((tool) => tool.function.name.endsWith(name))?.function.name;
    const written = { name: offered, arguments: JSON.stringify({ turn, call }) };
    return { index, id: `call_${call}`, type: "function", function: written };
  });
}

function frame(delta: object, finish_reason: string | null): string {
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

function numberIn(text: string): number {
  return Number(/turn (\d+)/.exec(text)?.[1] ?? Number.NaN);
}
