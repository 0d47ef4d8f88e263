import type { SseEvent } from "../../../platform/sse/stream-event.ts";
import { objectOrEmpty, tryParseJsonObject } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";
import { ConformanceStreamError } from "../conformance-dialect.ts";

interface Choice {
  role: unknown;
  content: string | null;
  refusal: string | null;
  finish: unknown;
  readonly calls: Call[];
  /** What the client does not know: the last one stands. */
  others: JsonObject;
}

interface Call {
  readonly id: unknown;
  readonly type: unknown;
  readonly name: unknown;
  text: string;
}

interface Completion {
  head: JsonObject | undefined;
  usage: unknown;
  tier: unknown;
  readonly choices: Map<number, Choice>;
}

/** The chat completion that the chunks of a stream add up to. */
export function accumulateChatStream(events: readonly SseEvent[]): JsonObject {
  const completion: Completion = {
    head: undefined,
    usage: undefined,
    tier: undefined,
    choices: new Map(),
  };
  for (const event of events) {
    if (event.data === "[DONE]") break;
    takeChunk(completion, parseChunk(event));
  }
  if (completion.head === undefined) throw new ConformanceStreamError("The stream has no chunk.");
  return print(completion.head, completion);
}

function parseChunk({ name, data }: SseEvent): JsonObject {
  const chunk = tryParseJsonObject(data);
  if (chunk === undefined) throw new ConformanceStreamError("A frame holds no JSON object.");
  const { error } = chunk;
  if ((error !== undefined && error !== null) || name === "error") {
    throw new ConformanceStreamError(
      `The stream tells an error: ${String(objectOrEmpty(error)["message"])}`,
    );
  }
  return chunk;
}

function takeChunk(completion: Completion, chunk: JsonObject): void {
  completion.head ??= chunk;
  if ("usage" in chunk) completion.usage = chunk["usage"];
  if ("service_tier" in chunk) completion.tier = chunk["service_tier"];
  if (!Array.isArray(chunk["choices"]))
    throw new ConformanceStreamError("A chunk has no `choices`.");
  for (const value of asArrayOrEmpty(chunk["choices"]))
    takeChoice(completion, objectOrEmpty(value));
}

function takeChoice(completion: Completion, said: JsonObject): void {
  const index = Number(said["index"]);
  const { role, content, refusal, tool_calls: calls, ...others } = objectOrEmpty(said["delta"]);
  const choice = completion.choices.get(index) ?? newChoice();
  completion.choices.set(index, choice);
  if (role !== undefined) choice.role = role;
  choice.content = join(choice.content, content);
  choice.refusal = join(choice.refusal, refusal);
  choice.others = { ...choice.others, ...others };
  if (said["finish_reason"]) choice.finish = said["finish_reason"];
  for (const call of asArrayOrEmpty(calls)) takeCall(choice, objectOrEmpty(call));
}

function newChoice(): Choice {
  return {
    role: undefined,
    content: null,
    refusal: null,
    finish: undefined,
    calls: [],
    others: {},
  };
}

function join(text: string | null, more: unknown): string | null {
  return typeof more === "string" ? (text ?? "") + more : text;
}

/** Calls are told apart by `index`, which counts from 0 without a gap. */
function takeCall({ calls }: Choice, delta: JsonObject): void {
  const index = delta["index"];
  const said = objectOrEmpty(delta["function"]);
  const text = typeof said["arguments"] === "string" ? said["arguments"] : "";
  const known = calls[Number(index)];
  if (known !== undefined) known.text += text;
  else if (index === calls.length) {
    calls.push({ id: delta["id"], type: delta["type"], name: said["name"], text });
  } else
    throw new ConformanceStreamError(`A call has the index ${String(index)}, not ${calls.length}.`);
}

function print(
  { id, created, model }: JsonObject,
  { choices, usage, tier }: Completion,
): JsonObject {
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [...choices].map(([index, choice]) => serializeChoice(index, choice)),
    ...(tier !== undefined && { service_tier: tier }),
    ...(usage !== undefined && { usage }),
  };
}

function serializeChoice(index: number, choice: Choice): JsonObject {
  const { role, content, refusal, finish, calls, others } = choice;
  if (!finish) throw new ConformanceStreamError(`Choice ${index} has no \`finish_reason\`.`);
  if (role === undefined) throw new ConformanceStreamError(`Choice ${index} has no \`role\`.`);
  const message = { ...others, role, content, ...(refusal !== null && { refusal }) };
  const said = calls.length === 0 ? message : { ...message, tool_calls: calls.map(serializeCall) };
  return { index, message: said, finish_reason: finish };
}

function serializeCall({ id, type, name, text }: Call, index: number): JsonObject {
  if (!id || !type || !name) {
    throw new ConformanceStreamError(
      `The first delta of call ${index} lacks its \`id\`, \`type\` or name.`,
    );
  }
  return { id, type, function: { name, arguments: text } };
}
