import type { JsonObject } from "../../../../src/dialect/json.ts";
import {
  addEach,
  addToList,
  addToObject,
  deepValues,
  longText,
  manyMembers,
  repeat,
  type Dimension,
  type Dimensions,
  type RequestDraft,
} from "../document.ts";
import { schemas } from "./json-texts.ts";

const text = { type: "text", text: "a" };
const cache_control = { type: "ephemeral" };

function user(...content: readonly JsonObject[]): JsonObject {
  return { role: "user", content };
}

function assistant(...content: readonly JsonObject[]): JsonObject {
  return { role: "assistant", content };
}

function call(id: string, input: unknown = {}, name = "f"): JsonObject {
  return { type: "tool_use", id, name, input };
}

function result(tool_use_id: string, content: unknown = "b"): JsonObject {
  return { type: "tool_result", tool_use_id, content };
}

function oneCall(id: string, input?: unknown, content?: unknown): JsonObject[] {
  return [assistant(call(id, input)), user(result(id, content))];
}

function tool(name: string, input_schema: JsonObject = { type: "object" }): JsonObject {
  return { name, input_schema };
}

function document(source: JsonObject): JsonObject {
  return { type: "document", source };
}

function withSchema(name: string, make: (count: number) => JsonObject): Dimension<RequestDraft> {
  return ({ tools }, count) =>
    tools.push({ ...tool(name.replaceAll(" ", "_"), make(count)), strict: true });
}

/** Whatever a messages request can repeat. */
export const messagesRequests: Dimensions<RequestDraft> = {
  "user messages": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => user(text)),
    ),
  turns: ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push([user(text), assistant(text)]);
  },
  "system blocks": ({ members }, count) =>
    addToList(
      members,
      "system",
      repeat(count, () => text),
    ),
  "system messages": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => ({ role: "system", content: "s" })),
    ),
  "system messages of one turn": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => ({ role: "system", content: "s", clear_at: "next_user_message" })),
    ),
  "added tools": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, (index) => ({
        role: "system",
        content: [{ type: "tool_addition", tool: { definition: tool(`added${index}`) } }],
      })),
    ),
  "removed tools": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, (index) => ({
        role: "system",
        content: [{ type: "tool_removal", tool: { name: `added${index}` } }],
      })),
    ),
  "text blocks": ({ groups }, count) => groups.push([user(...repeat(count, () => text))]),
  "answered text blocks": ({ groups }, count) =>
    groups.push([assistant(...repeat(count, () => text)), user(text)]),
  "image addresses": ({ groups }, count) => {
    const image = { type: "image", source: { type: "url", url: "https://a.example/a.png" } };
    groups.push([user(...repeat(count, () => image))]);
  },
  "image data": ({ groups }, count) => {
    const source = { type: "base64", media_type: "image/png", data: longText(count, "AAAA") };
    groups.push([user({ type: "image", source })]);
  },
  "document data": ({ groups }, count) => {
    const data = longText(count, "AAAA");
    groups.push([user(document({ type: "base64", media_type: "application/pdf", data }))]);
  },
  "document text": ({ groups }, count) => {
    const data = longText(count);
    groups.push([user(document({ type: "text", media_type: "text/plain", data }))]);
  },
  "document blocks": ({ groups }, count) =>
    groups.push([user(document({ type: "content", content: repeat(count, () => text) }))]),
  "search results": ({ groups }, count) => {
    const found = { type: "search_result", source: "s", title: "t", content: [text] };
    groups.push([user(...repeat(count, () => found))]);
  },
  "texts of a search result": ({ groups }, count) => {
    const content = repeat(count, () => text);
    groups.push([user({ type: "search_result", source: "s", title: "t", content })]);
  },
  "long text": ({ groups }, count) => groups.push([user({ ...text, text: longText(count) })]),
  "wide text": ({ groups }, count) =>
    groups.push([user({ ...text, text: longText(count, "\u{1f600}") })]),
  "escaped text": ({ groups }, count) =>
    groups.push([user({ ...text, text: longText(count, '"\\\n') })]),
  "tool calls of one message": ({ groups }, count) => {
    const calls = repeat(count, (index) => call(`parallel${index}`));
    groups.push([
      assistant(...calls),
      user(...repeat(count, (index) => result(`parallel${index}`))),
    ]);
  },
  "tool calls in turn": ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push(oneCall(`turn${index}`));
  },
  "equal ids": ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push(oneCall("equal"));
  },
  "illegal ids": ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push(oneCall(`é${index}`));
  },
  "a long id": ({ groups }, count) => groups.push(oneCall(longText(count, "é"))),
  "distinct called tools": ({ groups }, count) => {
    const calls = repeat(count, (index) => call(`distinct${index}`, {}, `unknown é ${index}`));
    groups.push([
      assistant(...calls),
      user(...repeat(count, (index) => result(`distinct${index}`))),
    ]);
  },
  "results before text": ({ groups }, count) => {
    for (let index = 0; index < count; index++)
      groups.push([assistant(call(`mixed${index}`)), user(text, result(`mixed${index}`), text)]);
  },
  "long input": ({ groups }, count) => groups.push(oneCall("long input", { a: longText(count) })),
  "escaped input": ({ groups }, count) =>
    groups.push(oneCall("escaped input", { a: longText(count, "\u0001") })),
  "wide input": ({ groups }, count) => groups.push(oneCall("wide input", manyMembers(count, "a"))),
  "deep input": ({ groups }, count) => groups.push(oneCall("deep input", { a: deepValues(count) })),
  "a long result": ({ groups }, count) => groups.push(oneCall("long result", {}, longText(count))),
  "result blocks": ({ groups }, count) =>
    groups.push(
      oneCall(
        "result blocks",
        {},
        repeat(count, () => text),
      ),
    ),
  "found tools": ({ groups }, count) => {
    const found = { type: "tool_reference", tool_name: "f" };
    groups.push(
      oneCall(
        "found",
        {},
        repeat(count, () => found),
      ),
    );
  },
  thinking: ({ groups }, count) => {
    const block = { type: "thinking", thinking: "a", signature: "c2ln" };
    groups.push([assistant(...repeat(count, () => block), text), user(text)]);
  },
  "sealed thinking": ({ groups }, count) => {
    const block = { type: "thinking", thinking: "a", signature: "cw1.AAAA" };
    groups.push([assistant(...repeat(count, () => block), text), user(text)]);
  },
  "redacted thinking": ({ groups }, count) => {
    const block = { type: "redacted_thinking", data: "AAAA" };
    groups.push([assistant(...repeat(count, () => block), text), user(text)]);
  },
  "long thinking": ({ groups }, count) => {
    const block = { type: "thinking", thinking: longText(count), signature: "c2ln" };
    groups.push([assistant(block, text), user(text)]);
  },
  citations: ({ groups }, count) => {
    const citation = { type: "web_search_result_location", url: "u", title: "t", cited_text: "a" };
    groups.push([assistant({ ...text, citations: repeat(count, () => citation) }), user(text)]);
  },
  "server tool blocks": ({ groups }, count) => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    groups.push([assistant(...repeat(count, () => block), text), user(text)]);
  },
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, make]) => [name, withSchema(name, make)]),
  ),
  "format properties": ({ members }, count) => {
    const schema = schemas["schema properties"]?.(count);
    addToObject(members, "output_config", { format: { type: "json_schema", schema } });
  },
  tools: ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`t${index}`));
  },
  "tools with illegal names": ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`é${index}`));
  },
  "a long tool name": ({ tools }, count) => tools.push(tool(longText(count, "n"))),
  "a long description": ({ tools }, count) =>
    tools.push({ ...tool("described"), description: longText(count) }),
  "marked tools": ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push({ ...tool(`m${index}`), cache_control });
  },
  "unknown members of a tool": ({ tools }, count) =>
    tools.push({ ...tool("extended"), ...manyMembers(count, "u") }),
  "allowed domains": ({ tools }, count) => {
    const allowed_domains = repeat(count, (index) => `d${index}.example`);
    tools.push({ type: "web_search_20250305", name: "web_search", allowed_domains });
  },
  "MCP servers": ({ members }, count) =>
    addToList(
      members,
      "mcp_servers",
      repeat(count, (index) => ({ type: "url", name: `s${index}`, url: "https://a.example" })),
    ),
  "stop sequences": ({ members }, count) =>
    addToList(
      members,
      "stop_sequences",
      repeat(count, (index) => `stop${index}`),
    ),
  "a long stop sequence": ({ members }, count) =>
    addToList(members, "stop_sequences", [`${longText(count).slice(0, 500)}b`]),
  "unknown members": ({ members }, count) => {
    Object.assign(members, manyMembers(count, "u"));
  },
  metadata: ({ members }, count) => addToObject(members, "metadata", manyMembers(count, "m", "v")),
  "cache marks": ({ groups }, count) =>
    groups.push([user(...repeat(count, () => ({ ...text, cache_control })))]),
  "unknown members of a block": ({ groups }, count) =>
    groups.push([user({ ...text, ...manyMembers(count, "u") })]),
};

/** Returns the body of a messages request. */
export function messagesBody(
  { members, tools }: RequestDraft,
  messages: readonly JsonObject[],
): JsonObject {
  const all = [user(text), ...messages, user(text)];
  const declared = tools.length === 0 ? {} : { tools };
  return { model: "m", max_tokens: 10, stream: true, messages: all, ...declared, ...members };
}
