import type { Dialect } from "../strict-environment.ts";
import type { SuiteResult } from "./suite.ts";

/** Why cases do not hold, by what is known of them. */
interface KnownFailure {
  readonly judge: string;
  readonly cases: RegExp;
  /** The dialect that it asks in; any unless said. */
  readonly asksIn?: Dialect;
  /** Upstreams over which it fails; all unless said. */
  readonly over?: readonly Dialect[];
  readonly why: string;
}

const fewTokens =
  "it asks for less than 16 tokens, the least that an upstream of responses takes: passed through it is the vendor's 400, transcoded 16 are asked for, with a warning";

const known: readonly KnownFailure[] = [
  {
    judge: "a copy of Open Responses",
    cases: /^limits-max-tokens$/,
    over: ["responses"],
    why: fewTokens,
  },
  {
    judge: "a copy of Open Responses",
    cases: /^cache-/,
    asksIn: "responses",
    over: ["responses"],
    why: fewTokens,
  },
  {
    judge: "a copy of Open Responses",
    cases: /^cache-(?:hit-reported|prompt-cache-key)$/,
    over: ["messages"],
    why: "it marks nothing for the cache, and the vendor of messages caches what is marked, and nothing else",
  },
  {
    judge: "a copy of Open Responses",
    cases: /^(?:structured-json-.*|limits-stop-sequence)$/,
    asksIn: "responses",
    why: "it sends `response_format` or `stop`, which are fields of chat: the vendor of responses refuses them, and transcoded they are dropped with a warning",
  },
  {
    judge: "a copy of Open Responses",
    cases: /^parity-finish-reason$/,
    asksIn: "chat",
    why: "it reads how a stream of chat ended from its last chunk, which has no choices where usage is asked for",
  },
  {
    judge: "llmprobe",
    cases: /^responses-streaming$/,
    why: "it waits for `[DONE]`, which streams of responses do not have at the vendor either",
  },
  {
    judge: "llmprobe",
    cases: /^messages-assistant-prefill$/,
    over: ["chat", "responses"],
    why: "these dialects cannot go on with a begun answer, so it is refused with its place",
  },
  {
    judge: "llmprobe",
    cases: /^messages-stop-sequence-echo$/,
    over: ["chat"],
    why: "a chat upstream does not tell a stop sequence from the natural end",
  },
  {
    judge: "llmprobe",
    cases: /-(?:finish-length|limits-max-tokens|max-tokens-alias)$/,
    over: ["responses"],
    why: fewTokens,
  },
  {
    judge: "llm-comply",
    cases: /^anth-/,
    why: "it demands fields that the vendor itself often leaves out (`citations`, `caller`, `inference_geo`, `server_tool_use` and others)",
  },
  {
    judge: "llama.cpp",
    cases: /^test_responses_(?:with_text_format|.*openai_library)/,
    over: ["responses"],
    why: fewTokens,
  },
  {
    judge: "llama.cpp",
    cases: /telemetry|timings|progress/,
    why: "these are fields of llama.cpp's own, which no vendor has",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_vision_base64_with_multimodal_model$/,
    why: "it fetches its picture from the internet, which is not reached here",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_vision_format_accepted$/,
    why: "it wants the 500 by which its own server says that a model takes no pictures; this model takes them",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_empty_messages$/,
    why: "it wants an answer to no messages at all, which the vendor refuses",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_thinking_history_in_template$/,
    why: "it asks `/apply-template`, a path of llama.cpp's own",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_thinking(?:_with_reasoning_model.*)?$/,
    over: ["messages"],
    why: "it lets a model think for less than 1024 tokens, the least that the vendor of messages takes; passed through it is the vendor's 400",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_tool_result_with_text$/,
    over: ["messages"],
    why: "it puts text before a `tool_result`, which the vendor of messages wants first; passed through it is the vendor's 400",
  },
  {
    judge: "llama.cpp",
    cases: /^test_anthropic_stop_sequences$/,
    over: ["messages"],
    why: "it stops at a line break, and the vendor of messages takes no stop sequence of white space alone; passed through it is the vendor's 400",
  },
];

/** Why a case does not hold; undefined: nobody has said it yet. */
export function knownFailureReason(
  judge: string,
  { name, surface }: Pick<SuiteResult, "name" | "surface">,
  over: Dialect,
): string | undefined {
  const entry = known.find(
    (one) =>
      one.judge === judge &&
      one.cases.test(name) &&
      (one.asksIn ?? surface) === surface &&
      (one.over === undefined || one.over.includes(over)),
  );
  return entry?.why;
}
