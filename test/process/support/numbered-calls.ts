import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";

/**
 * Calls that can be told apart in the ledger, where nothing that a caller sends is
 * kept: each has an output cap of its own, which makes its reserve one of its own.
 */
export interface NumberedCall {
  /** Its output cap. */
  readonly number: number;
  readonly model: string;
  readonly stream?: boolean;
}

/** Ten tokens at a dollar a million, in nano-dollars. */
export const promptNano = 10_000;

const prompt = "x".repeat(40);

/** What a call for `sold` reserves, in nano-dollars: the prompt, and its cap at two dollars a million. */
export function reserveOf(number: number): string {
  return String(promptNano + number * 2000);
}

/** What a call for `sold` costs that is no stream: its number of tokens in and five out. */
export function costOf(number: number): bigint {
  return BigInt(number * 1000 + 5 * 2000);
}

/** Makes a call; rejects when the connection is lost. */
export function callNumbered(url: string, key: string, call: NumberedCall): Promise<Response> {
  const { number, ...rest } = call;
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...rest,
      max_tokens: number,
      messages: [{ role: "user", content: prompt }],
    }),
  });
}

/** An upstream of numbered calls. */
export interface NumberedUpstream {
  readonly fake: FakeUpstream & { close(): Promise<void> };
  /** Numbers of the calls that came, in order. */
  readonly numbers: readonly number[];
  /** Answers that are no streams wait for it; undefined: they do not wait. */
  gate: Promise<void> | undefined;
  /** Ends the streams that run. */
  finish(): void;
}

/** Streams go on, slowly, until they are finished; other calls report their number as input and 5 tokens out. */
export async function openNumberedUpstream(): Promise<NumberedUpstream> {
  const numbers: number[] = [];
  const streams = new Set<ServerResponse>();
  const fake = await openFakeUpstream(async (response, { method, body }) => {
    if (method === "GET") return response.end(modelList);
    const call = JSON.parse(body.toString()) as { max_tokens: number; stream?: boolean };
    numbers.push(call.max_tokens);
    if (call.stream === true) return streamSlowly(response, streams);
    await upstream.gate;
    response.setHeader("content-type", "application/json");
    return response.end(answerTo(call.max_tokens));
  });
  const upstream: NumberedUpstream = {
    fake,
    numbers,
    gate: undefined,
    finish: () => {
      for (const response of streams) response.end("data: [DONE]\n\n");
      streams.clear();
    },
  };
  return upstream;
}

const modelList = JSON.stringify({ object: "list", data: [{ id: "any", object: "model" }] });

const chunk = JSON.stringify({
  id: "c",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content: "one more word " }, finish_reason: null }],
});

async function streamSlowly(response: ServerResponse, streams: Set<ServerResponse>): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  streams.add(response);
  response.once("close", () => streams.delete(response));
  while (streams.has(response)) {
    response.write(`data: ${chunk}\n\n`);
    await delay(100);
  }
}

function answerTo(number: number): string {
  return JSON.stringify({
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: { prompt_tokens: number, completion_tokens: 5, total_tokens: number + 5 },
  });
}
