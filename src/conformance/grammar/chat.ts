import type { SseEvent } from "../../platform/sse/stream-event.ts";
import { checkChatChunkChoices, type ChatChoiceCheckState } from "./chat-choices.ts";
import type { DialectStreamViolation } from "./grammar-violation.ts";
import type { JsonObject } from "../../platform/json-value.ts";

/** What is known of a stream while it is checked. */
interface ChatState {
  readonly faults: DialectStreamViolation[];
  /** Id, time and model of the first chunk, as JSON text. */
  identity: string | undefined;
  readonly choices: Map<unknown, ChatChoiceCheckState>;
  /** Place of the chunk that has the usage. */
  usage: number | undefined;
  /** Places of chunks that say nothing of usage, not even `null`. */
  readonly silent: number[];
  end: "done" | "error" | undefined;
}

/**
 * Checks a stream of chat completions against the vendor's grammar: chunks of one
 * identity, a role first, calls counted from 0, one `finish_reason` per choice,
 * usage last, then `[DONE]`; or an error frame, and then nothing.
 */
export function checkChatStream(events: readonly SseEvent[]): readonly DialectStreamViolation[] {
  const state: ChatState = {
    faults: [],
    identity: undefined,
    choices: new Map(),
    usage: undefined,
    silent: [],
    end: undefined,
  };
  for (const [place, event] of events.entries()) checkEvent(state, event, place);
  checkEnd(state, events.length);
  return state.faults;
}

function checkEvent(state: ChatState, event: SseEvent, place: number): void {
  const fault = violationAt(state, place);
  if (state.end !== undefined) fault("after-end", `An event follows the ${state.end} frame.`);
  if (event.name !== undefined) fault("event-name", "Chat frames have no event name.");
  if (event.data === "[DONE]") {
    state.end ??= "done";
    return;
  }
  const chunk = parse(event.data);
  if (chunk === undefined) fault("json", "The data is neither a JSON object nor `[DONE]`.");
  else if (isSet(chunk["error"])) checkError(state, chunk, place);
  else checkChunk(state, chunk, place);
}

function checkError(state: ChatState, chunk: JsonObject, place: number): void {
  state.end ??= "error";
  const { error } = chunk;
  const isRight = typeof error === "object" && typeof (error as JsonObject)["message"] === "string";
  if (!isRight) violationAt(state, place)("error-shape", "`error` is no object with a `message`.");
}

function checkChunk(state: ChatState, chunk: JsonObject, place: number): void {
  const fault = violationAt(state, place);
  if (chunk["object"] !== "chat.completion.chunk") {
    fault("object", "`object` is not `chat.completion.chunk`.");
  }
  checkIdentity(state, chunk, fault);
  if (state.usage !== undefined) fault("usage-last", "A chunk follows the one with the usage.");
  const { choices } = chunk;
  if (!Array.isArray(choices)) return fault("choices", "`choices` is not an array.");
  checkUsage(state, chunk, choices, place);
  checkChatChunkChoices(choices, state.choices, fault);
}

function checkIdentity(state: ChatState, chunk: JsonObject, fault: AddViolation): void {
  const { id, created, model } = chunk;
  if (typeof id !== "string" || typeof created !== "number" || typeof model !== "string") {
    fault("identity", "`id`, `created` or `model` is missing.");
  }
  const identity = JSON.stringify([id, created, model]);
  state.identity ??= identity;
  if (identity !== state.identity) fault("identity", "`id`, `created` or `model` has changed.");
}

function checkUsage(
  state: ChatState,
  chunk: JsonObject,
  choices: readonly unknown[],
  place: number,
): void {
  const { usage } = chunk;
  if (usage === undefined) state.silent.push(place);
  if (!isSet(usage)) return;
  state.usage = place;
  if (choices.length > 0) {
    violationAt(state, place)("usage-alone", "The chunk with the usage has choices, too.");
  }
}

function checkEnd(state: ChatState, count: number): void {
  const fault = violationAt(state, count);
  const [silent] = state.silent;
  if (state.usage !== undefined && silent !== undefined) {
    violationAt(state, silent)("usage-null", "A chunk before the usage lacks `usage: null`.");
  }
  if (state.end === "error") return;
  if (state.identity === undefined) fault("empty", "The stream has no chunk.");
  for (const [index, { finish }] of state.choices) {
    if (finish === undefined) fault("finish", `Choice ${String(index)} has no \`finish_reason\`.`);
  }
  if (state.end === undefined) fault("done", "The stream does not end with `[DONE]`.");
}

type AddViolation = (rule: string, message: string) => void;

function violationAt({ faults }: ChatState, event: number): AddViolation {
  return (rule, message) => {
    faults.push({ rule, event, message });
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function parse(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && !Array.isArray(value) && value !== null
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
