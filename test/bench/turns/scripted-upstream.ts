import { setTimeout as delay } from "node:timers/promises";
import {
  json,
  openFakeUpstream,
  type FakeUpstream,
  type Script,
} from "../../support/fake-upstream.ts";

/** How an upstream answers, as the prompt tells it: `words=12 every=60 failures=1`. */
export interface ScriptedOutput {
  readonly words: number;
  /** Milliseconds between two of them. */
  readonly every: number;
  /** So many calls are refused with 503 before one is answered; 0 if omitted. */
  readonly failures?: number;
  /** It asks for a call of the tool `look` in the end. */
  readonly calls?: boolean;
}

/** A prompt that is its own, and tells how it is to be answered. */
export function promptFor({ words, every, failures = 0, calls = false }: ScriptedOutput): string {
  prompts += 1;
  return `prompt=${prompts} words=${words} every=${every} failures=${failures} calls=${Number(calls)}`;
}

let prompts = 0;

/** Starts a chat upstream that does what the prompts say. */
export async function startScriptedUpstream(): Promise<FakeUpstream & { close(): Promise<void> }> {
  const refused = new Map<string, number>();
  const script: Script = (response, request) => {
    if (request.method === "GET") return list(response, request);
    const text = request.body.toString();
    const prompt = /prompt=\d+/.exec(text)?.[0] ?? "";
    const failures = refused.get(prompt) ?? 0;
    refused.set(prompt, failures + 1);
    return failures < numberIn(text, "failures")
      ? busy(response, request)
      : speak(response, request);
  };
  return openFakeUpstream(script);
}

const list = json({ object: "list", data: [{ id: "m", object: "model" }] });

const busy = json({ error: { message: "busy" } }, 503);

const speak: Script = async (response, { body }) => {
  const text = body.toString();
  const words = numberIn(text, "words");
  const everyMs = numberIn(text, "every");
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < words && !response.destroyed; at += 1) {
    response.write(frame({ content: `word${at} ` }, null));
    if (everyMs > 0) await delay(everyMs);
  }
  if (numberIn(text, "calls") > 0) response.write(frame({ tool_calls: [lookCall] }, null));
  response.write(frame({}, numberIn(text, "calls") > 0 ? "tool_calls" : "stop"));
  const usage = { prompt_tokens: 10, completion_tokens: words, total_tokens: 10 + words };
  response.end(`data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\ndata: [DONE]\n\n`);
};

const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };

const lookCall = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "look", arguments: "{}" },
};

function frame(delta: object, finish_reason: string | null): string {
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

function numberIn(text: string, name: string): number {
  return Number(new RegExp(`${name}=(\\d+)`).exec(text)?.[1] ?? 0);
}
