import { text as readText } from "node:stream/consumers";
import { request } from "undici";
import type { ServerProcess } from "../../support/server-process.ts";

/** A turn, as its caller knows it. */
export interface CalledTurn {
  readonly number: number;
  readonly isPaid: boolean;
  readonly isAgent: boolean;
  /** Undefined: its caller heard nothing before its process died. */
  id: string | undefined;
  /** All that was received, byte by byte. */
  received: string;
  /** The stream ended or broke off. */
  readonly over: Promise<void>;
}

export interface TurnCaller {
  readonly key: string;
  /** Its answers are an agent's, which calls tools. */
  readonly isAgent: boolean;
  readonly byoModel: string;
}

/** Asks for an answer in the background, and reads its events as far as they come. */
export function callTurn(
  server: ServerProcess,
  { key, byoModel, isAgent }: TurnCaller,
  number: number,
): CalledTurn {
  const isPaid = number % 2 === 0;
  const turn: CalledTurn = { number, isPaid, isAgent, id: undefined, received: "", over: read() };
  return turn;

  async function read(): Promise<void> {
    try {
      const { body } = await request(`${server.url}/v1/responses`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(isAgent && { "x-svc-mode": "agent" }),
        },
        body: JSON.stringify({
          model: isPaid ? "sold" : byoModel,
          input: `This is turn ${number}.`,
          background: true,
          stream: true,
        }),
      });
      for await (const chunk of body) take(String(chunk));
    } catch {
      // Its process was killed.
    }
  }

  function take(text: string): void {
    turn.received += text;
    turn.id ??= /"id":"(turn_\w+)"/.exec(turn.received)?.[1];
  }
}

/** What a server replays of a turn from its beginning. */
export async function replayTurn(server: ServerProcess, key: string, id: string): Promise<string> {
  const { body } = await request(`${server.url}/v1/responses/${id}?stream=true`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return withoutKeepAlives(await readText(body));
}

export function withoutKeepAlives(text: string): string {
  return text.replaceAll(": keep-alive\n\n", "");
}

/** Status of a turn, as any server says it. */
export async function statusOf(server: ServerProcess, key: string, id: string): Promise<string> {
  const { status, body } = await server.call("GET", `/v1/responses/${id}`, { token: key });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return String(body["status"]);
}
