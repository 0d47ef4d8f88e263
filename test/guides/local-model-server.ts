import { json, openFakeUpstream, stream, type Script } from "../support/fake-upstream.ts";
import { onTestFinished } from "vitest";

/** How a local model server says what all of them say. */
export interface LocalServerProfile {
  readonly model: string;
  /** Further members of its entry in the list of models, of the list, of an answer, and of its choice. */
  readonly entry: object;
  readonly list: object;
  readonly answer: object;
  readonly choice: object;
  /** Of the message of an answer. */
  readonly message: object;
  /** Its 404 for what it does not serve. */
  readonly notFound: unknown;
}

/** By their documentation and sources, in the members that a client may stumble over. */
export const localServers = {
  ollama: {
    model: "qwen3:8b",
    entry: { owned_by: "library" },
    list: {},
    answer: { system_fingerprint: "fp_ollama" },
    choice: {},
    message: {},
    notFound: "404 page not found",
  },
  vllm: {
    model: "Qwen/Qwen3-8B",
    entry: { owned_by: "vllm", root: "Qwen/Qwen3-8B", parent: null, max_model_len: 32768 },
    list: {},
    answer: { prompt_logprobs: null, kv_transfer_params: null, service_tier: null },
    choice: { logprobs: null, stop_reason: null, token_ids: null },
    message: { reasoning_content: null, refusal: null, tool_calls: [], function_call: null },
    notFound: { detail: "Not Found" },
  },
  llamaCpp: {
    model: "qwen3-8b",
    entry: { owned_by: "llamacpp", meta: { n_ctx_train: 40960, n_params: 8190735360 } },
    list: { models: [{ name: "qwen3-8b", model: "qwen3-8b", type: "model" }] },
    answer: { system_fingerprint: "b6100-65c797c4", timings: { prompt_n: 1, predicted_n: 2 } },
    choice: {},
    message: {},
    notFound: { error: { code: 404, message: "File Not Found", type: "not_found_error" } },
  },
  lmStudio: {
    model: "qwen/qwen3-8b",
    entry: { owned_by: "organization_owner" },
    list: {},
    answer: { system_fingerprint: "qwen/qwen3-8b", stats: {} },
    choice: { logprobs: null },
    message: { tool_calls: [] },
    notFound: { error: "Unexpected endpoint or method." },
  },
} as const satisfies Readonly<Record<string, LocalServerProfile>>;

/** Starts one; `127.0.0.1:<port>`. It takes any key, and says what it is asked to say exactly. */
export async function startLocalServer(manner: LocalServerProfile): Promise<string> {
  const server = await openFakeUpstream((response, request) =>
    scriptFor(manner, request.path, request.body.toString())(response, request),
  );
  onTestFinished(() => server.close());
  return `127.0.0.1:${server.port}`;
}

function scriptFor(manner: LocalServerProfile, path: string, body: string): Script {
  if (path === "/v1/models") return json(modelList(manner));
  if (path !== "/v1/chat/completions") return json(manner.notFound, 404);
  const [, text = "What?"] = /exactly: ([\w ]+)/.exec(body) ?? [];
  return JSON.parse(body).stream === true ? streamed(manner, text) : json(whole(manner, text));
}

function modelList({ model: id, entry, list }: LocalServerProfile): object {
  return { ...list, object: "list", data: [{ id, object: "model", created: 1, ...entry }] };
}

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

function whole({ model, answer, choice, message }: LocalServerProfile, content: string): object {
  const said = { role: "assistant", content, ...message };
  const choices = [{ index: 0, message: said, finish_reason: "stop", ...choice }];
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices,
    usage,
    ...answer,
  };
}

function streamed({ model, answer, choice }: LocalServerProfile, content: string): Script {
  const frame = (choices: object[], more: object = {}): string => {
    const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model };
    return `data: ${JSON.stringify({ ...head, choices, ...answer, ...more })}\n\n`;
  };
  const piece = (delta: object, reason: string | null): string =>
    frame([{ index: 0, delta, finish_reason: reason, ...choice }]);
  const words = content
    .split(/(?= )/)
    .map((word) => piece({ role: "assistant", content: word }, null));
  return stream([
    ...words,
    piece({ content: "" }, "stop"),
    frame([], { usage }),
    "data: [DONE]\n\n",
  ]);
}
