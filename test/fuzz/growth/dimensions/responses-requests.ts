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

const text = { type: "input_text", text: "a" };

function user(...content: readonly JsonObject[]): JsonObject {
  return { role: "user", content };
}

function assistant(...content: readonly JsonObject[]): JsonObject {
  return { type: "message", role: "assistant", content };
}

function call(call_id: string, json = "{}", name = "f"): JsonObject {
  return { type: "function_call", call_id, name, arguments: json };
}

function result(call_id: string, output: unknown = "b"): JsonObject {
  return { type: "function_call_output", call_id, output };
}

function tool(name: string, parameters: JsonObject = { type: "object" }): JsonObject {
  return { type: "function", name, parameters };
}

function withArguments(name: string, make: (count: number) => string): Dimension<RequestDraft> {
  return ({ groups }, count) =>
    groups.push([call(`id ${name}`, make(count)), result(`id ${name}`)]);
}

function withSchema(name: string, make: (count: number) => JsonObject): Dimension<RequestDraft> {
  return ({ tools }, count) =>
    tools.push({ ...tool(name.replaceAll(" ", "_"), make(count)), strict: true });
}

/** Adds the same item `count` times. */
function withItems(item: JsonObject): Dimension<RequestDraft> {
  return ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => item),
    );
}

/** Whatever a Responses request can repeat. */
export const responsesRequests: Dimensions<RequestDraft> = {
  "user messages": withItems(user(text)),
  turns: ({ groups }, count) => {
    for (let index = 0; index < count; index++)
      groups.push([user(text), { role: "assistant", content: "b" }]);
  },
  "assistant messages": withItems({ role: "assistant", content: "b" }),
  "system messages": withItems({ role: "developer", content: "s" }),
  "text parts": ({ groups }, count) => groups.push([user(...repeat(count, () => text))]),
  "image addresses": ({ groups }, count) => {
    const image = { type: "input_image", image_url: "https://a.example/a.png" };
    groups.push([user(...repeat(count, () => image))]);
  },
  "image data": ({ groups }, count) => {
    const image_url = `data:image/png;base64,${longText(count, "AAAA")}`;
    groups.push([user({ type: "input_image", image_url })]);
  },
  "data URL parameters": ({ groups }, count) => {
    const image_url = `data:image/png${longText(count, ";a=b").slice(0, 900)};base64,AAAA`;
    groups.push([user({ type: "input_image", image_url })]);
  },
  "file data": ({ groups }, count) => {
    const file_data = `data:application/pdf;base64,${longText(count, "AAAA")}`;
    groups.push([user({ type: "input_file", filename: "a.pdf", file_data })]);
  },
  "long text": ({ groups }, count) => groups.push([user({ ...text, text: longText(count) })]),
  "wide text": ({ groups }, count) =>
    groups.push([user({ ...text, text: longText(count, "\u{1f600}") })]),
  "escaped text": ({ groups }, count) =>
    groups.push([user({ ...text, text: longText(count, '"\\\n') })]),
  "parallel tool calls": ({ groups }, count) =>
    groups.push([
      ...repeat(count, (index) => call(`parallel${index}`)),
      ...repeat(count, (index) => result(`parallel${index}`)),
    ]),
  "tool calls in turn": ({ groups }, count) => {
    for (let index = 0; index < count; index++)
      groups.push([call(`turn${index}`), result(`turn${index}`)]);
  },
  "results before their calls": ({ groups }, count) =>
    groups.push([
      ...repeat(count, (index) => result(`early${index}`)),
      ...repeat(count, (index) => call(`early${index}`)),
    ]),
  "equal ids": ({ groups }, count) => {
    for (let index = 0; index < count; index++) groups.push([call("equal"), result("equal")]);
  },
  "illegal ids": ({ groups }, count) => {
    for (let index = 0; index < count; index++)
      groups.push([call(`é${index}`), result(`é${index}`)]);
  },
  "a long id": ({ groups }, count) => {
    const id = longText(count, "é");
    groups.push([call(id), result(id)]);
  },
  "distinct called tools": ({ groups }, count) =>
    groups.push([
      ...repeat(count, (index) => call(`distinct${index}`, "{}", `unknown é ${index}`)),
      ...repeat(count, (index) => result(`distinct${index}`)),
    ]),
  "called namespaces": ({ groups }, count) =>
    groups.push([
      ...repeat(count, (index) => ({ ...call(`space${index}`), namespace: `space${index}` })),
      ...repeat(count, (index) => result(`space${index}`)),
    ]),
  "custom tool calls": ({ groups }, count) => {
    for (let index = 0; index < count; index++) {
      const call_id = `custom${index}`;
      groups.push([
        { type: "custom_tool_call", call_id, name: "c", input: "i" },
        { type: "custom_tool_call_output", call_id, output: "o" },
      ]);
    }
  },
  "long custom input": ({ groups }, count) =>
    groups.push([
      { type: "custom_tool_call", call_id: "input", name: "c", input: longText(count, '"\n') },
      { type: "custom_tool_call_output", call_id: "input", output: "o" },
    ]),
  "a long result": ({ groups }, count) =>
    groups.push([call("long"), result("long", longText(count))]),
  "result parts": ({ groups }, count) =>
    groups.push([
      call("parts"),
      result(
        "parts",
        repeat(count, () => text),
      ),
    ]),
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]) => [name, withArguments(name, make)]),
  ),
  "reasoning items": withItems({
    type: "reasoning",
    summary: [{ type: "summary_text", text: "a" }],
    encrypted_content: "e",
  }),
  "sealed reasoning items": withItems({
    type: "reasoning",
    summary: [],
    encrypted_content: "cw1.AAAA",
  }),
  "reasoning summaries": ({ groups }, count) => {
    const summary = repeat(count, () => ({ type: "summary_text", text: "a" }));
    groups.push([{ type: "reasoning", summary }]);
  },
  annotations: ({ groups }, count) => {
    const annotation = { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 };
    const annotations = repeat(count, () => annotation);
    groups.push([assistant({ type: "output_text", text: "a", annotations })]);
  },
  refusals: ({ groups }, count) =>
    groups.push([assistant(...repeat(count, () => ({ type: "refusal", refusal: "a" })))]),
  "configuration updates": withItems({
    type: "configuration_update",
    text: { verbosity: "low" },
    reasoning: { effort: "low" },
  }),
  "a wide configuration update": ({ groups }, count) =>
    groups.push([{ type: "configuration_update", text: manyMembers(count, "u") }]),
  "text settings": ({ members }, count) => addToObject(members, "text", manyMembers(count, "t")),
  "additional tools": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, (index) => ({ type: "additional_tools", tools: [tool(`added${index}`)] })),
    ),
  "additional tools at once": ({ groups }, count) =>
    groups.push([
      { type: "additional_tools", tools: repeat(count, (index) => tool(`together${index}`)) },
    ]),
  "tool searches": ({ groups }, count) => {
    for (let index = 0; index < count; index++) {
      const call_id = `search${index}`;
      groups.push([
        { type: "tool_search_call", call_id, execution: "client", arguments: {} },
        { type: "tool_search_output", call_id, tools: [tool(`found${index}`)] },
      ]);
    }
  },
  "compaction triggers": withItems({ type: "compaction_trigger" }),
  "web search calls": withItems({ type: "web_search_call", id: "w", status: "completed" }),
  "shell results": withItems({ type: "local_shell_call_output", id: "s", output: "o" }),
  "stored messages": ({ stored }, count) => {
    for (let index = 0; index < count; index++) stored.push(user(text));
  },
  "stored tool calls": ({ stored }, count) => {
    for (let index = 0; index < count; index++)
      stored.push(call(`stored${index}`), result(`stored${index}`));
  },
  "stored updates": ({ stored }, count) => {
    const text = { verbosity: "low" };
    for (let index = 0; index < count; index++) stored.push({ type: "configuration_update", text });
  },
  "item references": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => ({ type: "item_reference", id: "msg_1" })),
    ),
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, make]) => [name, withSchema(name, make)]),
  ),
  "format properties": ({ members }, count) => {
    const schema = schemas["schema properties"]?.(count);
    addToObject(members, "text", { format: { type: "json_schema", name: "f", schema } });
  },
  tools: ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`t${index}`));
  },
  "tools with illegal names": ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`é${index}`));
  },
  "equal tools": ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool("same"));
  },
  "a long tool name": ({ tools }, count) => tools.push(tool(longText(count, "n"))),
  "a long description": ({ tools }, count) =>
    tools.push({ ...tool("described"), description: longText(count) }),
  "custom tools": ({ tools }, count) => {
    for (let index = 0; index < count; index++) tools.push({ type: "custom", name: `c${index}` });
  },
  namespaces: ({ tools }, count) => {
    for (let index = 0; index < count; index++)
      tools.push({ type: "namespace", name: `n${index}`, tools: [tool("f")] });
  },
  "tools of a namespace": ({ tools }, count) =>
    tools.push({
      type: "namespace",
      name: longText(count, "n"),
      description: "d",
      tools: [tool("one"), tool("two")],
    }),
  "unknown members of a tool": ({ tools }, count) =>
    tools.push({ ...tool("extended"), ...manyMembers(count, "u") }),
  "allowed tools": ({ members, tools }, count) => {
    for (let index = 0; index < count; index++) tools.push(tool(`allowed${index}`));
    const allowed = repeat(count, (index) => ({ type: "function", name: `allowed${index}` }));
    members["tool_choice"] = { type: "allowed_tools", mode: "auto", tools: allowed };
  },
  includes: ({ members }, count) =>
    addToList(
      members,
      "include",
      repeat(count, (index) => `i${index}`),
    ),
  "unknown members": ({ members }, count) => {
    Object.assign(members, manyMembers(count, "u"));
  },
  metadata: ({ members }, count) => addToObject(members, "metadata", manyMembers(count, "m", "v")),
  "unknown members of an item": ({ groups }, count) =>
    groups.push([{ ...user(text), ...manyMembers(count, "u") }]),
};

/** Returns the body of a Responses request. */
export function responsesBody(
  { members, tools, stored }: RequestDraft,
  items: readonly JsonObject[],
): JsonObject {
  const input = [user(text), ...items, user(text)];
  const declared = tools.length === 0 ? {} : { tools };
  const previous = stored.length === 0 ? {} : { previous_response_id: "resp_1" };
  const include = ["reasoning.encrypted_content"];
  return {
    model: "m",
    stream: true,
    store: false,
    include,
    input,
    ...declared,
    ...previous,
    ...members,
  };
}
