import type { JsonObject } from "../../../src/dialect/json.ts";
import { startStrictUpstream } from "./start-strict-upstream.ts";
import { surfaces } from "./surfaces.ts";

export type Dialect = "chat" | "messages" | "responses";

const paths = { chat: "/chat/completions", messages: "/messages", responses: "/responses" };
export const hello = [{ role: "user", content: "Hello." }];
/** The least that each dialect takes. */
export const bases: Readonly<Record<Dialect, JsonObject>> = {
  chat: { model: "m", messages: hello },
  messages: { model: "m", max_tokens: 4000, messages: hello },
  responses: { model: "m", input: hello },
};
/** Of the tool `weather`. */
export const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
export const tools = {
  chat: [{ type: "function", function: { name: "weather", parameters: schema } }],
  messages: [{ name: "weather", input_schema: schema }],
  responses: [{ type: "function", name: "weather", parameters: schema, strict: false }],
};

/** A conversation with these blocks as its answer. */
export function turn(...content: readonly object[]): JsonObject {
  return { messages: [...hello, { role: "assistant", content }, ...hello] };
}

/** Asks a double of its own. */
export async function send(dialect: Dialect, body: JsonObject) {
  const { origin } = await startStrictUpstream();
  const answer = await fetch(`${origin}/v1${paths[dialect]}`, {
    method: "POST",
    body: JSON.stringify({ ...bases[dialect], ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

/** Where the first fault is. */
export function faultIn(dialect: Dialect, body: JsonObject): string | undefined {
  const faults = surfaces.get(paths[dialect])?.faults({ ...bases[dialect], ...body }, "") ?? [];
  return faults[0]?.path;
}
