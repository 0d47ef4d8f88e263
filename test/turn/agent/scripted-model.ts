import {
  openMemoryReservationScope,
  noopMemoryReserver,
  type MemoryReservationScope,
} from "../../../src/platform/hold-memory.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type {
  ResponsesStreamEvent,
  TurnModelCallInput,
  TurnModelCallOutcome,
  TurnModelCallUsage,
  TurnModelCaller,
} from "../../../src/domain/durable-turn.ts";

/** What a model says in one call: output items in the form of the responses dialect. */
export interface ScriptedAnswer {
  readonly output?: readonly JsonObject[];
  /** Why it stopped before it was done. */
  readonly incomplete?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly isPassing: boolean };
  readonly used?: Partial<TurnModelCallUsage>;
  /** Is awaited when the items have been said, before the end is. */
  readonly pause?: (call: TurnModelCallInput) => Promise<void>;
}

/** A model that says what a test scripts, as the gateway hands it on, and keeps what it was asked. */
export class ScriptedModel implements TurnModelCaller {
  readonly calls: TurnModelCallInput[] = [];
  /** Calls that were settled because their processes died. */
  readonly lost: string[] = [];
  mayGo = true;
  readonly #answer: (body: JsonObject, number: number) => ScriptedAnswer;

  constructor(answer: (body: JsonObject, number: number) => ScriptedAnswer) {
    this.#answer = answer;
  }

  bodies(): readonly JsonObject[] {
    return this.calls.map(({ request }) => JSON.parse(request.body) as JsonObject);
  }

  async prepareTransaction(): Promise<void> {}

  openMemory(): MemoryReservationScope {
    return openMemoryReservationScope(noopMemoryReserver);
  }

  async call(call: TurnModelCallInput): Promise<TurnModelCallOutcome> {
    this.calls.push(call);
    const number = this.calls.length;
    const answer = this.#answer(JSON.parse(call.request.body) as JsonObject, number);
    await call.recordIntent(intentOf(call));
    await say(call, answer.output ?? []);
    await answer.pause?.(call);
    const used = { inputTokens: 10, cachedInputTokens: 2, outputTokens: 4, costUsd: 0.25 };
    return {
      callId: call.callId,
      terminal: answer.error === undefined && !call.signal.aborted ? terminalOf(answer) : undefined,
      error: answer.error ?? (call.signal.aborted ? broken : undefined),
      isRetryable: answer.error?.isPassing ?? true,
      used: { ...used, ...answer.used },
      commit: async () => undefined,
    };
  }

  async canContinue(): Promise<boolean> {
    return this.mayGo;
  }

  async settleOrphaned(
    ..._: readonly [unknown, unknown, { readonly callId: string }, number]
  ): Promise<TurnModelCallUsage> {
    this.lost.push(_[2].callId);
    return { inputTokens: 10, cachedInputTokens: 0, outputTokens: 1, costUsd: 0.125 };
  }
}

const broken = { code: "server_error", message: "The model call broke off." };

export function message(text: string, id = `msg_${text}`): JsonObject {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id, role: "assistant", status: "completed", content };
}

export function callOf(name: string, args: object | string, callId = `call_${name}`): JsonObject {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const id = `fc_${callId}`;
  return { type: "function_call", id, call_id: callId, name, arguments: text, status: "completed" };
}

export function thought(seal: string): JsonObject {
  return { type: "reasoning", id: `rs_${seal}`, summary: [], encrypted_content: seal };
}

async function say(call: TurnModelCallInput, output: readonly JsonObject[]): Promise<void> {
  for (const [output_index, item] of output.entries()) {
    for (const event of eventsOf(item, output_index)) await call.push(event);
  }
}

function eventsOf(item: JsonObject, output_index: number): readonly ResponsesStreamEvent[] {
  const place = { item_id: item["id"], output_index };
  const done = { type: "response.output_item.done", output_index, item };
  const added = (begun: JsonObject): ResponsesStreamEvent => ({
    type: "response.output_item.added",
    output_index,
    item: { ...begun, ...("status" in item && { status: "in_progress" }) },
  });
  if (item["type"] === "function_call") {
    const text = item["arguments"];
    return [
      added({ ...item, arguments: "" }),
      { type: "response.function_call_arguments.delta", ...place, delta: text },
      { type: "response.function_call_arguments.done", ...place, arguments: text },
      done,
    ];
  }
  if (item["type"] !== "message") return [added(item), done];
  const [part] = item["content"] as readonly JsonObject[];
  const at = { ...place, content_index: 0 };
  const logprobs: unknown[] = [];
  return [
    added({ ...item, content: [] }),
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...at, delta: part?.["text"], logprobs },
    { type: "response.output_text.done", ...at, text: part?.["text"], logprobs },
    { type: "response.content_part.done", ...at, part },
    done,
  ];
}

function terminalOf({ output = [], incomplete }: ScriptedAnswer): ResponsesStreamEvent {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 2 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 1 },
    total_tokens: 14,
  };
  const response = { output, usage, completed_at: 1_700_000_000 };
  if (incomplete === undefined) return { type: "response.completed", response };
  const incomplete_details = { reason: incomplete };
  return { type: "response.incomplete", response: { ...response, incomplete_details } };
}

function intentOf({
  callId,
  request,
}: TurnModelCallInput): Parameters<TurnModelCallInput["recordIntent"]>[0] {
  return {
    callId,
    requestId: request.requestId,
    model: "m",
    route: "byo",
    lane: "transcode",
    tags: undefined,
    promptTokens: 1,
    startedAt: 1,
    reservation: undefined,
  };
}
