import type { ServerResponse } from "node:http";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import type { RestCall, TestUser } from "../../support/rest-client.ts";

export type Dialect = "dialect_chat" | "dialect_messages" | "dialect_responses";

const paths: Readonly<Record<Dialect, string>> = {
  dialect_chat: "/v1/chat/completions",
  dialect_messages: "/v1/messages",
  dialect_responses: "/v1/responses",
};

/** A first and a last piece of a stream in each dialect. */
const pieces: Readonly<Record<Dialect, readonly [string, string]>> = {
  dialect_chat: [
    'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"one"},"finish_reason":null}]}\n\n',
    'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  ],
  dialect_messages: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m1","role":"assistant","content":[]}}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  dialect_responses: [
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r1"}}\n\n',
    'event: response.completed\ndata: {"type":"response.completed","sequence_number":1,"response":{"id":"r1"}}\n\n',
  ],
};

/** An upstream whose streams go on until a test ends them. */
export interface EndlessUpstream {
  readonly fake: FakeUpstream;
  /** Streams that were begun, in order. */
  readonly open: ServerResponse[];
  /** Sends the last piece of a stream. */
  finish(dialect: Dialect, index?: number): void;
}

/** Starts it; it lists one model, `m1`, and ends with the test. */
export async function startEndlessUpstream(): Promise<EndlessUpstream> {
  const open: ServerResponse[] = [];
  const fake = await startFakeUpstream((response, request) => {
    if (request.path.endsWith("/models")) {
      listModels(response, request);
    } else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(pieces[dialectOf(request.path)][0]);
      open.push(response);
    }
  });
  return {
    fake,
    open,
    finish: (dialect, index = 0) => void open[index]?.end(pieces[dialect][1]),
  };
}

const listModels = json({ object: "list", data: [{ id: "m1", object: "model" }] });

function dialectOf(path: string): Dialect {
  if (path.endsWith("/messages")) return "dialect_messages";
  return path.endsWith("/responses") ? "dialect_responses" : "dialect_chat";
}

/** A stream of a model call that has begun. */
export interface OpenStream {
  readonly status: number;
  /** All of the body, when it has ended, however it did. */
  readonly text: Promise<string>;
}

/** Registers the upstream as an endpoint of the user; the model of its calls. */
export async function registerUpstream(
  call: RestCall,
  user: TestUser,
  upstream: Pick<EndlessUpstream, "fake">,
  dialect: "dialect_chat" | "dialect_messages" = "dialect_chat",
): Promise<string> {
  const { status, body } = await call("POST", "/v1/upstreams", {
    token: user.session,
    body: { label: "Endless", base_url: upstream.fake.origin, api_key: "sk-upstream", dialect },
  });
  if (status !== 201) throw new Error(`createUpstream: ${JSON.stringify(body)}`);
  return `custom/${body.upstream.slug}/m1`;
}

/** Begins a streamed call and waits for the first piece of its answer. */
export async function openStream(
  url: string,
  key: string,
  model: string,
  dialect: Dialect = "dialect_chat",
): Promise<OpenStream> {
  const response = await fetch(url + paths[dialect], {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  if (response.body === null) throw new Error("The answer has no body.");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader.read();
  return { status: response.status, text: readRest(reader, first.value ?? "") };
}

async function readRest(
  reader: ReadableStreamDefaultReader<string>,
  first: string,
): Promise<string> {
  let text = first;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    return text;
  } catch (error) {
    return `${text}\n[cut: ${String(error)}]`;
  }
}
