import type { JsonObject } from "../../../../src/dialect/json.ts";
import {
  addEach,
  addToList,
  addToObject,
  longText,
  manyMembers,
  repeat,
  type Dimension,
  type Dimensions,
  type RequestDraft,
} from "../document.ts";
import { argumentTexts, schemas } from "./json-texts.ts";

const text = { type: "text", text: "a" };
const mark = { type: "ephemeral" };

function user(...content: readonly JsonObject[]): JsonObject {
  return { role: "user", content };
}

function call(id: string, json = "{}", name = "f"): JsonObject {
  return { id, type: "function", function: { name, arguments: json } };
}

function result(id: string, content: unknown = "b"): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

function assistant(...calls: readonly JsonObject[]): JsonObject {
  return { role: "assistant", content: null, tool_calls: calls };
}

function oneCall(id: string, json?: string, content?: unknown): JsonObject[] {
  return [assistant(call(id, json)), result(id, content)];
}

function tool(name: string, parameters: JsonObject = { type: "object" }): JsonObject {
  return { type: "function", function: { name, parameters } };
}

function withArguments(name: string, make: (count: number) => string): Dimension<RequestDraft> {
  return ({ groups }, count) => groups.push(oneCall(`id ${name}`, make(count)));
}

function withSchema(name: string, make: (count: number) => JsonObject): Dimension<RequestDraft> {
  return ({ tools }, count) => {
    const named = { name: name.replaceAll(" ", "_"), parameters: make(count), strict: true };
    tools.push({ type: "function", function: named });
  };
}

/** Whatever a chat request can repeat. */
export const chatRequests: Dimensions<RequestDraft> = {
  "user messages": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => user(text)),
    ),
  turns: ({ groups }, count) => {
    for (let index = 0; index < count; index++)
      groups.push([user(text), { role: "assistant", content: "b" }]);
  },
  "system messages": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => ({ role: "system", content: "s" })),
    ),
  "text parts": ({ groups }, count) => groups.push([user(...repeat(count, () => text))]),
  "empty parts": ({ groups }, count) =>
    groups.push([user(...repeat(count, () => ({ type: "text", text: "" })))]),
  "image addresses": ({ groups }, count) => {
    const image = { type: "image_url", image_url: { url: "https://a.example/a.png" } };
    groups.push([user(...repeat(count, () => image))]);
  },
  "image data": ({ groups }, count) => {
    const url = `data:image/png;base64,${longText(count, "AAAA")}`;
    groups.push([user({ type: "image_url", image_url: { url } })]);
  },
  "data URL parameters": ({ groups }, count) => {
    const url = `data:image/png${longText(count, ";a=b").slice(0, 900)};base64,AAAA`;
    groups.push([user({ type: "image_url", image_url: { url } })]);
  },
  "file data": ({ groups }, count) => {
    const file_data = `data:application/pdf;base64,${longText(count, "AAAA")}`;
    groups.push([user({ type: "file", file: { filename: "a.pdf", file_data } })]);
  },
  "long text": ({ groups }, count) => groups.push([user({ type: "text", text: longText(count) })]),
  "wide text": ({ groups }, count) =>
    groups.push([user({ type: "text", text: longText(count, "\u{1f600}") })]),
  "escaped text": ({ groups }, count) =>
    groups.push([user({ type: "text", text: longText(count, '"\\\n') })]),
  "tool calls of one message": ({ groups }, count) => {
    const calls = repeat(count, (index) => call(`parallel${index}`));
    const results = repeat(count, (index) => result(`parallel${index}`));
    groups.push([assistant(...calls), ...results]);
  },
  "tool calls in turn": ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push(oneCall(`turn${index}`));
  },
  "messages with one call each": ({ groups }, count) => {
    const calls = repeat(count, (index) => assistant(call(`joined${index}`)));
    groups.push([...calls, ...repeat(count, (index) => result(`joined${index}`))]);
  },
  "equal ids": ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push(oneCall("equal"));
  },
  "illegal ids": ({ groups }, count) => {
    for (let index = 0; index < count; index++)
      groups.push(oneCall(`${"-".repeat(index % 2)}é${index}`));
  },
  "a long id": ({ groups }, count) => groups.push(oneCall(longText(count, "é"))),
  "distinct called tools": ({ groups }, count) => {
    const calls = repeat(count, (index) => call(`distinct${index}`, "{}", `unknown é ${index}`));
    groups.push([assistant(...calls), ...repeat(count, (index) => result(`distinct${index}`))]);
  },
  "a long result": ({ groups }, count) => groups.push(oneCall("long", "{}", longText(count))),
  "result parts": ({ groups }, count) =>
    groups.push(
      oneCall(
        "parts",
        "{}",
        repeat(count, () => text),
      ),
    ),
  "legacy calls": ({ groups }, count) => {
    for (let index = 0; index < count; index++) {
      const function_call = { name: "f", arguments: "{}" };
      groups.push([
        { role: "assistant", content: null, function_call },
        { role: "function", name: "f", content: "b" },
      ]);
    }
  },
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]) => [name, withArguments(name, make)]),
  ),
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, make]) => [name, withSchema(name, make)]),
  ),
  tools: ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`t${index}`));
  },
  "tools with illegal names": ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`é${index}`));
  },
  "a long tool name": ({ tools }, count) => tools.push(tool(longText(count, "n"))),
  "a long description": ({ tools }, count) => {
    const named = { name: "described", description: longText(count) };
    tools.push({ type: "function", function: named });
  },
  "custom tools": ({ tools }, count) => {
    for (let index = 0; index < count; index++)
      tools.push({ type: "custom", custom: { name: `c${index}` } });
  },
  "unknown members of a tool": ({ tools }, count) =>
    tools.push({ ...tool("extended"), ...manyMembers(count, "u") }),
  functions: ({ members }, count) =>
    addToList(
      members,
      "functions",
      repeat(count, (index) => ({ name: `legacy${index}` })),
    ),
  "allowed tools": ({ members, tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`allowed${index}`));
    const allowed = repeat(count, (index) => ({
      type: "function",
      function: { name: `allowed${index}` },
    }));
    members["tool_choice"] = {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: allowed },
    };
  },
  "stop sequences": ({ members }, count) =>
    addToList(
      members,
      "stop",
      repeat(count, (index) => `stop${index}`),
    ),
  "a long stop sequence": ({ members }, count) =>
    addToList(members, "stop", [`${longText(count).slice(0, 500)}b`]),
  "unknown members": ({ members }, count) => {
    Object.assign(members, manyMembers(count, "u"));
  },
  metadata: ({ members }, count) => addToObject(members, "metadata", manyMembers(count, "m", "v")),
  "logit biases": ({ members }, count) =>
    addToObject(members, "logit_bias", manyMembers(count, "1")),
  "stream options": ({ members }, count) =>
    addToObject(members, "stream_options", manyMembers(count, "s")),
  "cache marks": ({ groups }, count) =>
    groups.push([user(...repeat(count, () => ({ ...text, cache_control: mark })))]),
  "marked messages": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => ({ ...user(text), cache_control: mark })),
    ),
  "reasoning details": ({ groups }, count) => {
    const reasoning_details = repeat(count, () => ({ type: "reasoning.text", text: "a" }));
    groups.push([{ role: "assistant", content: "b", reasoning_details }, user(text)]);
  },
  "signed reasoning": ({ groups }, count) => {
    const thinking_blocks = repeat(count, () => ({ thinking: "a", signature: "cw1.AAAA" }));
    groups.push([{ role: "assistant", content: "b", thinking_blocks }, user(text)]);
  },
  "long reasoning": ({ groups }, count) =>
    groups.push([
      { role: "assistant", content: "b", reasoning_content: longText(count) },
      user(text),
    ]),
  refusals: ({ groups }, count) => {
    const content = repeat(count, () => ({ type: "refusal", refusal: "a" }));
    groups.push([{ role: "assistant", content }, user(text)]);
  },
  "unknown members of a message": ({ groups }, count) =>
    groups.push([{ ...user(text), ...manyMembers(count, "u") }]),
  "message names": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, (index) => ({ ...user(text), name: `n${index}` })),
    ),
};

/** Returns the body of a chat request. */
export function chatBody(
  { members, tools }: RequestDraft,
  messages: readonly JsonObject[],
): JsonObject {
  const all = [{ role: "user", content: "a" }, ...messages, { role: "user", content: "z" }];
  const declared = tools.length === 0 ? {} : { tools };
  return {
    model: "m",
    max_tokens: 10,
    stream: true,
    reasoning_effort: "low",
    messages: all,
    ...declared,
    ...members,
  };
}
