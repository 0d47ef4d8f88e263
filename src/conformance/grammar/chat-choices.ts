import type { JsonObject } from "../../platform/json-value.ts";

/** What is known of one choice of a chat stream. */
export interface ChatChoiceCheckState {
  /** Number of calls that have begun. */
  calls: number;
  finish: string | undefined;
}

type AddViolation = (rule: string, message: string) => void;

const finishReasons = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/** Checks the choices of one chunk against what came before. */
export function checkChatChunkChoices(
  choices: readonly unknown[],
  states: Map<unknown, ChatChoiceCheckState>,
  fault: AddViolation,
): void {
  for (const value of choices) {
    const choice = objectOf(value);
    const delta = objectOf(choice?.["delta"]);
    if (choice === undefined || delta === undefined) {
      fault("delta", "A choice has no `delta`.");
    } else checkChoice(choice, delta, states, fault);
  }
}

function checkChoice(
  choice: JsonObject,
  delta: JsonObject,
  states: Map<unknown, ChatChoiceCheckState>,
  fault: AddViolation,
): void {
  const { index } = choice;
  if (!isIndex(index)) fault("choice-index", "`index` of a choice is missing.");
  const state = states.get(index);
  if (state === undefined) checkRole(delta, fault);
  const known = state ?? { calls: 0, finish: undefined };
  states.set(index, known);
  if (known.finish !== undefined) fault("after-finish", "A choice goes on after its end.");
  checkWords(delta, fault);
  checkCalls(delta["tool_calls"], known, fault);
  checkFinish(choice["finish_reason"], known, fault);
}

function checkRole(delta: JsonObject, fault: AddViolation): void {
  if (delta["role"] !== "assistant") {
    fault("role", "The first delta of a choice lacks `role: assistant`.");
  }
}

function checkWords(delta: JsonObject, fault: AddViolation): void {
  for (const name of ["content", "refusal"]) {
    const text = delta[name];
    if (text !== undefined && text !== null && typeof text !== "string") {
      fault("words", `\`${name}\` is not a text.`);
    }
  }
}

function checkCalls(value: unknown, state: ChatChoiceCheckState, fault: AddViolation): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) return fault("tool-calls", "`tool_calls` is not an array.");
  for (const item of value) checkCall(objectOf(item), state, fault);
}

function checkCall(
  call: JsonObject | undefined,
  state: ChatChoiceCheckState,
  fault: AddViolation,
): void {
  const index = call?.["index"];
  if (call === undefined || !isIndex(index)) return fault("tool-index", "A call has no `index`.");
  if (index < state.calls) return;
  if (index > state.calls) fault("tool-index", `Call ${index} comes before call ${state.calls}.`);
  state.calls = index + 1;
  const { type } = call;
  const named = objectOf(call[type === "custom" ? "custom" : "function"]);
  const isNamed = typeof named?.["name"] === "string" && named["name"] !== "";
  const hasId = typeof call["id"] === "string" && call["id"] !== "";
  if (!isNamed || !hasId || (type !== "function" && type !== "custom")) {
    fault("tool-start", "The first delta of a call lacks its `id`, `type` or name.");
  }
}

function checkFinish(value: unknown, state: ChatChoiceCheckState, fault: AddViolation): void {
  if (value === null || value === undefined) return;
  state.finish = typeof value === "string" ? value : JSON.stringify(value);
  if (!finishReasons.has(state.finish)) fault("finish-word", "`finish_reason` is no known word.");
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
