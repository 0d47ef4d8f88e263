import { asArray, asObject, asString, type JsonObject } from "../../../src/dialect/json.ts";

const fields = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "stop",
  "logprobs",
  "top_logprobs",
  "user",
  "safety_identifier",
  "metadata",
  "service_tier",
  "stream",
  "stream_options",
  "prompt_cache_key",
]);
const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** What a strict server would answer 400 to, one sentence each. */
export function vendorFaults(body: JsonObject): readonly string[] {
  return [
    ...Object.keys(body)
      .filter((name) => !fields.has(name) || body[name] === undefined)
      .map((name) => `unknown field ${name}`),
    ...faultsOfMessages(objects(body["messages"])),
    ...faultsOfTools(body),
    ...faultsOfOptions(body),
  ];
}

function objects(value: unknown): readonly JsonObject[] {
  return asArray(value).map((item) => asObject(item) ?? {});
}

function faultsOfMessages(messages: readonly JsonObject[]): readonly string[] {
  if (messages.length === 0) return ["no messages"];
  const waiting = new Set<string>();
  const faults = messages.flatMap((message, place) =>
    faultsOfMessage(message, waiting).map((fault) => `messages[${place}]: ${fault}`),
  );
  return waiting.size === 0 ? faults : [...faults, "calls without results at the end"];
}

function faultsOfMessage(message: JsonObject, waiting: Set<string>): readonly string[] {
  const { role, content } = message;
  if (role === "tool") return faultsOfResult(message, waiting);
  const early = waiting.size === 0 ? [] : ["comes before the results"];
  if (role === "assistant") return [...early, ...faultsOfAssistant(message, waiting)];
  if (role !== "user" && role !== "system") return ["unknown role"];
  const types = role === "user" ? ["text", "image_url", "file"] : ["text"];
  return [...early, ...faultsOfContent(content, types)];
}

function faultsOfResult(message: JsonObject, waiting: Set<string>): readonly string[] {
  const id = asString(message["tool_call_id"]) ?? "";
  const isAwaited = waiting.delete(id);
  return [
    ...(isAwaited ? [] : [`no call ${id} waits`]),
    ...faultsOfContent(message["content"], ["text"]),
  ];
}

function faultsOfAssistant(message: JsonObject, waiting: Set<string>): readonly string[] {
  const { content, tool_calls: calls, refusal } = message;
  const isEmpty = content === null && calls === undefined && refusal === undefined;
  const shape = [
    ...(isEmpty ? ["says nothing"] : []),
    ...(content === null ? [] : faultsOfContent(content, ["text", "refusal"])),
    ...(Array.isArray(calls) && calls.length === 0 ? ["empty tool_calls"] : []),
  ];
  for (const call of objects(calls)) {
    const id = asString(call["id"]) ?? "";
    if (id === "" || waiting.has(id)) shape.push(`bad id ${id}`);
    waiting.add(id);
    const named = asObject(call["function"]) ?? asObject(call["custom"]);
    if (!toolName.test(asString(named?.["name"]) ?? "")) shape.push("bad name of a call");
    if (typeof (named?.["arguments"] ?? named?.["input"]) !== "string") shape.push("bad arguments");
  }
  return shape;
}

function faultsOfContent(content: unknown, types: readonly string[]): readonly string[] {
  if (typeof content === "string") return [];
  if (!Array.isArray(content) || content.length === 0) return ["content is neither text nor parts"];
  return objects(content)
    .filter(({ type }) => !types.includes(asString(type) ?? ""))
    .map(({ type }) => `a part ${String(type)} does not belong here`);
}

function faultsOfTools(body: JsonObject): readonly string[] {
  const tools = objects(body["tools"]);
  const names = tools
    .map((tool) => asObject(tool["function"]) ?? asObject(tool["custom"]))
    .map((named) => asString(named?.["name"]) ?? "");
  const chosen = asObject(body["tool_choice"]);
  const name = asObject(chosen?.["function"])?.["name"] ?? asObject(chosen?.["custom"])?.["name"];
  return [
    ...names.filter((name) => !toolName.test(name)).map((name) => `bad tool name ${name}`),
    ...(new Set(names).size === names.length ? [] : ["a tool name comes twice"]),
    ...(Array.isArray(body["tools"]) && tools.length === 0 ? ["empty tools"] : []),
    ...(tools.length === 0 && body["tool_choice"] !== undefined ? ["a choice without tools"] : []),
    ...(tools.length === 0 && body["parallel_tool_calls"] !== undefined
      ? ["parallel without tools"]
      : []),
    ...(typeof name === "string" && !names.includes(name) ? ["a choice of no tool"] : []),
  ];
}

function faultsOfOptions(body: JsonObject): readonly string[] {
  return [
    ...(asArray(body["stop"]).length > 4 ? ["too many stops"] : []),
    ...(body["stream_options"] !== undefined && body["stream"] !== true
      ? ["options without a stream"]
      : []),
    ...(body["top_logprobs"] !== undefined && body["logprobs"] !== true
      ? ["top without logprobs"]
      : []),
  ];
}
