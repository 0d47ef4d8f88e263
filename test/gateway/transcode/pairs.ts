import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { call, readError, type ReadError, type Reply } from "../call.ts";
import type { ModelApp } from "../model-app.ts";
import type { CallerName } from "./clients.ts";

const names = ["chat", "messages", "responses"] as const;

/** A caller's dialect and another of its upstream. */
export interface Pair {
  readonly caller: CallerName;
  readonly upstream: CallerName;
}

/** The nine pairs; three of them pass bytes through. */
export const allPairs: readonly Pair[] = names.flatMap((caller) =>
  names.map((upstream) => ({ caller, upstream })),
);

/** The six pairs that are transcoded. */
export const crossPairs = allPairs.filter(({ caller, upstream }) => upstream !== caller);

export const paths = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

/** Models by the dialect of the upstream that they reach. */
export const models = {
  chat: "custom/acme/up",
  messages: "custom/mess/up",
  responses: "code/up",
};

/** What a caller of each dialect asks. */
export const questions = {
  chat: { messages: [{ role: "user", content: "hello" }] },
  messages: { max_tokens: 100, messages: [{ role: "user", content: "hello" }] },
  responses: { input: "hello" },
};

export type Body = Readonly<Record<string, unknown>>;

/** Asks through a pair; `more` goes into the body. */
export function ask(
  app: ModelApp,
  { caller, upstream }: Pair,
  more: Body = {},
  headers: Record<string, string | null> = {},
): Promise<Reply> {
  const body = { model: models[upstream], ...questions[caller], ...more };
  return call(app, paths[caller], body, headers);
}

/** The error that ends a stream, wherever its dialect puts it. Undefined: it ends well. */
export function streamError(caller: CallerName, text: string): ReadError | undefined {
  const events = parseEventStreamText(text);
  const last = events.at(-1);
  const data = last === undefined || last.data === "[DONE]" ? {} : parse(last.data);
  if (caller === "chat") return "error" in data ? readError(data) : undefined;
  if (last?.name !== "error") return undefined;
  if (caller === "messages") return readError(data);
  return { ...readError({ error: data }), code: data["code"] };
}

function parse(text: string): Body {
  return JSON.parse(text) as Body;
}

/** What no stream that failed may have in it. */
export const goodEndings = {
  chat: /\[DONE\]|"finish_reason":"/,
  messages: /message_stop|message_delta/,
  responses: /response\.completed|response\.incomplete/,
};

/** What a caller was told, whatever its dialect. */
export function textOf(caller: CallerName, text: string): string {
  return parseEventStreamText(text)
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => deltaOf(caller, parse(data)))
    .join("");
}

function deltaOf(caller: CallerName, data: Body): string {
  if (caller === "responses") {
    return data["type"] === "response.output_text.delta" ? wordsOf(data["delta"]) : "";
  }
  if (caller === "messages") return wordsOf((data["delta"] as Body | undefined)?.["text"]);
  const choice = (data["choices"] as { delta: Body }[] | undefined)?.[0];
  return wordsOf(choice?.delta["content"]);
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
