import { setTimeout as delay } from "node:timers/promises";
import { fetch, type Dispatcher, type Response } from "undici";
import type { Call } from "./call.ts";
import { wires } from "./wire/wires.ts";

/** A caller of the gateway. */
export interface Caller {
  readonly url: string;
  readonly key: string;
  readonly dispatcher: Dispatcher;
  /** Slug of the caller's endpoint. */
  readonly slug: string;
}

/** Makes a call as it is planned, and writes down how it ended. Never rejects. */
export async function makeCall(caller: Caller, call: Call): Promise<void> {
  const leaving = new AbortController();
  const { hearing } = call.plan;
  const timer =
    hearing.kind === "leave" ? setTimeout(() => leaving.abort(), hearing.afterMs) : undefined;
  try {
    await hear(call, await ask(caller, call, leaving.signal));
  } catch {
    // Whose hand it was does not matter: what was heard counts.
    call.outcome = call.bytes > 0 ? "cut" : "unheard";
  } finally {
    clearTimeout(timer);
    call.endedAt = Date.now();
  }
}

function ask({ url, key, dispatcher, slug }: Caller, call: Call, signal: AbortSignal) {
  const { from, isStream, prompt } = call.plan;
  const wire = wires[from];
  const model = modelOf(call, slug);
  return fetch(`${url}/v1${wire.path}`, {
    method: "POST",
    headers: { ...wire.headers(key), "content-type": "application/json" },
    body: JSON.stringify(wire.request({ model, cap: call.number, isStream, prompt })),
    dispatcher,
    signal,
  });
}

function modelOf({ number, plan: { payment, to } }: Call, slug: string): string {
  if (payment === "wallet") return `sold-${to}`;
  return payment === "linked" ? `own-${to}/m-${number}` : `custom/${slug}/m-${number}`;
}

async function hear(call: Call, response: Response): Promise<void> {
  call.status = response.status;
  if (response.status !== 200) return hearRefusal(call, await response.text());
  const { from, isStream, hearing } = call.plan;
  let tail = "";
  let isWhole = !isStream;
  for await (const chunk of response.body ?? []) {
    const bytes = Buffer.from(chunk as Uint8Array);
    call.bytes += bytes.length;
    tail += bytes.toString("latin1");
    isWhole ||= tail.includes(wires[from].lastWords);
    tail = tail.slice(-tailLength);
    if (hearing.kind === "slow") await delay(hearing.afterMs);
  }
  if (isWhole) call.outcome = "whole";
  else hearFailure(call, tail);
}

/** An error event is the last of its stream, and no longer. */
const tailLength = 4 * 1024;

const codeForm = /"(?:error_code|code)":"([a-z_]+)"/;

function hearRefusal(call: Call, text: string): void {
  call.outcome = "refused";
  call.code = codeForm.exec(text)?.[1] ?? /"type":"(\w+_error)"/.exec(text)?.[1];
}

/** A stream that failed says so in its last event. */
function hearFailure(call: Call, tail: string): void {
  call.code = codeForm.exec(tail)?.[1];
  call.outcome = call.code === undefined ? "truncated" : "cut";
}
