import { asArray, asObject, type JsonObject } from "../../src/dialect/json.ts";

const requestFields = new Set([
  "model",
  "max_tokens",
  "system",
  "messages",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
  "stream",
]);

/** What a vendor of the messages dialect would refuse in a body (dialects reference, 1.3). */
export function refusals(body: JsonObject): readonly string[] {
  const messages = asArray(body["messages"]).map((message) => asObject(message) ?? {});
  return [
    ...Object.keys(body).flatMap((name) => (requestFields.has(name) ? [] : [`field ${name}`])),
    ...(messages.length === 0 ? ["no messages"] : []),
    ...messages.flatMap((message, place) => messageFaults(message, messages[place - 1])),
    ...blocksOf(body["system"]).flatMap(textFaults),
    ...toolFaults(body),
    ...thinkingFaults(body),
    ...(breakpoints(body) > 4 ? ["more than 4 breakpoints"] : []),
  ];
}

function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return asArray(content).map((block) => asObject(block) ?? {});
}

function messageFaults(message: JsonObject, before: JsonObject | undefined): readonly string[] {
  const blocks = blocksOf(message["content"]);
  return [
    ...(message["role"] === before?.["role"] ? ["two messages of one role"] : []),
    ...(message["role"] === "system" && before?.["role"] !== "user" ? ["a system message"] : []),
    ...(blocks.length === 0 ? ["an empty message"] : []),
    ...blocks.flatMap(textFaults),
    ...callFaults(blocks),
    ...resultFaults(blocks, blocksOf(before?.["content"])),
  ];
}

function textFaults(block: JsonObject): readonly string[] {
  const { type, text } = block;
  return type === "text" && String(text).trim() === "" ? ["a blank text"] : [];
}

function callFaults(blocks: readonly JsonObject[]): readonly string[] {
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const first = blocks.findIndex(({ type }) => type === "tool_use");
  const behind = first === -1 ? [] : blocks.slice(first);
  return [
    ...calls.flatMap(({ id }) =>
      /^[a-zA-Z0-9_-]+$/.test(String(id)) ? [] : [`call id ${String(id)}`],
    ),
    ...calls.flatMap(({ name }) =>
      /^[a-zA-Z0-9_-]{1,128}$/.test(String(name)) ? [] : [`tool name ${String(name)}`],
    ),
    ...calls.flatMap(({ input }) => (asObject(input) === undefined ? ["input"] : [])),
    ...(behind.some(({ type }) => type === "text") ? ["text behind a call"] : []),
  ];
}

/** Every call of the message before has its one result, and the results come first. */
function resultFaults(
  blocks: readonly JsonObject[],
  before: readonly JsonObject[],
): readonly string[] {
  const idsOf = (type: string, list: readonly JsonObject[], name: string) =>
    list.filter((block) => block["type"] === type).map((block) => block[name]);
  const calls = idsOf("tool_use", before, "id");
  const results = idsOf("tool_result", blocks, "tool_use_id");
  const isFirst = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
  return [
    ...(JSON.stringify(calls) === JSON.stringify(results) ? [] : ["calls and results"]),
    ...(isFirst ? [] : ["results not first"]),
  ];
}

function toolFaults(body: JsonObject): readonly string[] {
  const tools = asArray(body["tools"]).map((tool) => asObject(tool) ?? {});
  const names = tools.map(({ name }) => String(name));
  const choice = asObject(body["tool_choice"]);
  return [
    ...(new Set(names).size < names.length ? ["two tools of one name"] : []),
    ...tools.flatMap(({ input_schema: schema }) =>
      asObject(schema)?.["type"] === "object" ? [] : ["an input schema that is no object"],
    ),
    ...(choice !== undefined && tools.length === 0 ? ["a choice without tools"] : []),
    ...(choice?.["type"] === "tool" && !names.includes(String(choice["name"]))
      ? ["a choice of no tool"]
      : []),
    ...(choice?.["type"] === "none" && "disable_parallel_tool_use" in choice ? ["none"] : []),
  ];
}

function thinkingFaults(body: JsonObject): readonly string[] {
  const cap = Number(body["max_tokens"]);
  const thinking = asObject(body["thinking"]);
  const isOn = thinking?.["type"] === "enabled" || thinking?.["type"] === "adaptive";
  const budget = Number(thinking?.["budget_tokens"] ?? 1024);
  const choice = asObject(body["tool_choice"])?.["type"];
  return [
    ...(cap >= 1 ? [] : ["max_tokens"]),
    ...(Number(body["temperature"] ?? 0) > 1 ? ["temperature"] : []),
    ...(thinking?.["type"] === "enabled" && (budget < 1024 || budget >= cap) ? ["budget"] : []),
    ...(isOn && ("temperature" in body || "top_k" in body) ? ["sampling with thinking"] : []),
    ...(isOn && asObject(asArray(body["messages"]).at(-1))?.["role"] === "assistant"
      ? ["a begun answer with thinking"]
      : []),
    ...(isOn && (choice === "any" || choice === "tool") ? ["a forced call with thinking"] : []),
  ];
}

function breakpoints(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + breakpoints(one), 0);
  const object = asObject(value);
  if (object === undefined) return 0;
  return Object.entries(object).reduce(
    (sum, [name, one]) => sum + (name === "cache_control" ? 1 : breakpoints(one)),
    0,
  );
}
