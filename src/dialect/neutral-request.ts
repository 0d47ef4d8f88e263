import type { DialectId } from "../platform/configuration/configuration.ts";
import type { JsonObject } from "./json.ts";

/**
 * A request of any dialect, in no dialect. It is richer than each of them: what
 * one dialect cannot say is refused or entered in the loss ledger by its
 * encoder, never forgotten by the shape between.
 *
 * Every `path` is the place in the caller's body, as a refusal's `param` and a
 * warning name it: `messages[1].content[0]`.
 */
export interface NeutralRequest {
  /** The dialect that the request was read from. */
  readonly origin: DialectId;
  /** The model id as the caller sent it. */
  readonly model: string;
  readonly isStream: boolean;
  /** A chat caller of a stream asked for its usage; the other dialects always tell it. */
  readonly wantsStreamUsage: boolean;
  /** System text before the conversation, one part per block or message. */
  readonly system: readonly TextPart[];
  readonly messages: readonly NeutralMessage[];
  readonly tools: readonly NeutralTool[];
  /** Chat asks for a search of the web beside its tools. */
  readonly search?: WebSearchOptions | undefined;
  readonly toolChoice: NeutralToolChoice | undefined;
  /** False: at most one call per turn. */
  readonly parallelToolCalls: boolean | undefined;
  readonly format: StructuredOutputFormat | undefined;
  readonly reasoning: ReasoningControl | undefined;
  readonly sampling: SamplingParameters;
  /** Cap of output tokens, reasoning included. */
  readonly maxOutputTokens: ValueWithPath<number> | undefined;
  readonly stop: ValueWithPath<readonly string[]> | undefined;
  readonly logprobs: ValueWithPath<LogprobControl> | undefined;
  /** Who the end user is, opaque. */
  readonly user: ValueWithPath<string> | undefined;
  readonly serviceTier: ValueWithPath<string> | undefined;
  readonly verbosity: ValueWithPath<string> | undefined;
  /** Key and value pairs of the caller's own. */
  readonly metadata: ValueWithPath<Readonly<Record<string, string>>> | undefined;
  /** What only some dialects know, by field, in the order of the body. */
  readonly extras: readonly UnmappedRequestField[];
  /** Fields as the caller sent them, which an answer of the same dialect repeats (responses). */
  readonly echo?: JsonObject | undefined;
}

/** A value and where it stood. */
export interface ValueWithPath<Value> {
  readonly path: string;
  readonly value: Value;
}

/** A top-level field (or `stream_options.include_obfuscation` and its like) without a neutral name. */
export interface ExtraField extends ValueWithPath<unknown> {
  /** Dotted field name without indexes: the row of the encoders' tables. */
  readonly name: string;
}

/** An extra of the request itself or of one of its objects. */
export interface UnmappedRequestField extends ExtraField {
  /** Name of the object that has it. Undefined for the request itself. */
  readonly outer: string | undefined;
  /** Its own name, which may have dots. */
  readonly member: string;
}

/** `tool` messages hold results only; they follow the assistant message with the calls. */
export type NeutralRole = "system" | "user" | "assistant" | "tool";

export interface NeutralMessage {
  readonly path: string;
  readonly role: NeutralRole;
  readonly parts: readonly NeutralPart[];
  /** The `name` of a chat message. */
  readonly name?: string | undefined;
  /** The `phase` of a responses message. */
  readonly phase?: string | undefined;
}

export type NeutralPart =
  | TextPart
  | ImagePart
  | FilePart
  | SearchResultPart
  | RefusalPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | OpaquePart;

interface PartBase {
  readonly path: string;
  /** A prompt-cache breakpoint after this part. */
  readonly cache?: CacheBreakpoint | undefined;
}

/** A cache breakpoint of messages (`cache_control`) or chat (`prompt_cache_breakpoint`); `ttl` as sent. */
export interface CacheBreakpoint {
  readonly path: string;
  readonly ttl: string | undefined;
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /** Citations or annotations of a replayed answer, as their dialect has them. */
  readonly citations?: readonly unknown[] | undefined;
}

export interface ImagePart extends PartBase {
  readonly type: "image";
  readonly source: MediaSource;
  /** `low`, `high`, `auto`, `original`. */
  readonly detail?: string | undefined;
  /** Where the data or address stands, for refusals: `messages[0].content[1].image_url.url`. Absent: `path`. */
  readonly sourcePath?: string | undefined;
}

export interface FilePart extends PartBase {
  readonly type: "file";
  readonly source: MediaSource | InlineTextSource;
  /** File name or title. */
  readonly name?: string | undefined;
  /** `context` of a messages document. */
  readonly context?: string | undefined;
  /** Citations were asked for. */
  readonly citationsEnabled?: boolean | undefined;
  /** Where the data, address or id stands, for refusals. Absent: `path`. */
  readonly sourcePath?: string | undefined;
}

export type MediaSource =
  | { readonly kind: "data"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "url"; readonly url: string }
  /** Held by the vendor that the caller uploaded it to. */
  | { readonly kind: "file"; readonly id: string };

export interface InlineTextSource {
  readonly kind: "text";
  readonly text: string;
}

/** A `search_result` block of messages. */
export interface SearchResultPart extends PartBase {
  readonly type: "search-result";
  readonly source: string;
  readonly title: string;
  readonly texts: readonly string[];
}

export interface RefusalPart extends PartBase {
  readonly type: "refusal";
  readonly text: string;
}

/** What a model thought. */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  /** Readable text, or its summary; one entry per summary part. Empty: nothing readable. */
  readonly texts: readonly string[];
  readonly encrypted?: EncryptedReasoning | undefined;
}

/**
 * What a vendor needs back, byte for byte, to go on thinking where it was. It is
 * sent to an upstream of the same `dialect` only, and only when it is proven to
 * come from there (see `reasoning-envelope.ts`).
 */
export type EncryptedReasoning =
  | { readonly dialect: "dialect_messages"; readonly kind: "thinking"; readonly signature: string }
  | { readonly dialect: "dialect_messages"; readonly kind: "redacted"; readonly data: string }
  | {
      readonly dialect: "dialect_responses";
      readonly kind: "encrypted";
      readonly id: string;
      readonly encryptedContent: string;
    }
  /** Plain `reasoning_content`: nothing was signed, only the text goes back. */
  | { readonly dialect: "dialect_chat"; readonly kind: "plain" };

/**
 * Whether arguments are a JSON object or free text. A `search` asks the caller for
 * further tools, with a JSON object; it has items of its own in responses.
 */
export type ClientToolKind = "function" | "custom" | "search";

export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  readonly kind: ClientToolKind;
  /** Pairs the call with its result. */
  readonly id: string;
  readonly name: string;
  /** Of a tool in a namespace of responses. */
  readonly namespace?: string | undefined;
  /** JSON text of an object, or the free text of a custom tool; as the model wrote it. */
  readonly arguments: string;
  /** Where they stand, for refusals: `messages[1].tool_calls[0].function.arguments`. Absent: `path`. */
  readonly argumentsPath?: string | undefined;
}

export interface ToolResultPart extends PartBase {
  readonly type: "tool-result";
  readonly kind: ClientToolKind;
  readonly callId: string;
  readonly isError: boolean;
  /** Text, images, files and search results. */
  readonly content: readonly (TextPart | ImagePart | FilePart | SearchResultPart | OpaquePart)[];
}

/**
 * A part that only its own dialect knows: server tools, audio, what is newer than
 * this code. Its `path` is what a refusal names: `messages[0].content[1]` or
 * `input[2].type`.
 */
export interface OpaquePart extends PartBase {
  readonly type: "opaque";
  readonly dialect: DialectId;
  /** The part's own `type`, for messages. */
  readonly name: string;
  readonly raw: JsonObject;
  /** What it says, where that can be said in words to other dialects. */
  readonly text?: string | undefined;
  /** What a caller can do without it, for the refusal. */
  readonly advice?: string | undefined;
}

export type NeutralTool = FunctionTool | CustomTool | HostedTool;

interface ToolBase {
  readonly path: string;
  readonly cache?: CacheBreakpoint | undefined;
  /** What its namespace says of itself; the loss of it is entered when it is read. */
  readonly namespaceDescription?: string | undefined;
}

/** A tool that the caller runs, with JSON arguments. */
export interface FunctionTool extends ToolBase {
  readonly type: "function" | "search";
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments; undefined: none were declared. */
  readonly parameters: JsonObject | undefined;
  readonly strict: boolean | undefined;
  /** Fields of its own dialect that must not leak: `defer_loading`, `input_examples`, … */
  readonly extras: readonly ExtraField[];
}

/** A tool that takes free text (chat and responses). */
export interface CustomTool extends ToolBase {
  readonly type: "custom";
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  /** Grammar of the text, as sent. */
  readonly format: unknown;
}

/** A tool that the vendor runs. A refusal names the `type` below its `path`: `tools[0].type`. */
export interface HostedTool extends ToolBase {
  readonly type: "hosted";
  readonly dialect: DialectId;
  /** The tool's own `type`. */
  readonly name: string;
  readonly raw: JsonObject;
  /** It searches the web, which several dialects have a word for. */
  readonly webSearch?: WebSearchOptions | undefined;
}

/** A search of the web by the vendor, as far as dialects agree on it. */
export interface WebSearchOptions {
  readonly path: string;
  /** Lists of domains. */
  readonly allowedDomains: ValueWithPath<unknown> | undefined;
  readonly blockedDomains: ValueWithPath<unknown> | undefined;
  /** `city`, `region`, `country`, `timezone`, side by side. */
  readonly location: JsonObject | undefined;
  /** How much of the pages to read: `low`, `medium`, `high`. */
  readonly size: ValueWithPath<unknown> | undefined;
  /** Most searches of one answer. */
  readonly uses: ValueWithPath<unknown> | undefined;
  /** Places of what only its own dialect knows. */
  readonly others: readonly string[];
}

export type NeutralToolChoice = { readonly path: string } & (
  | { readonly kind: "none" | "auto" | "required" }
  | { readonly kind: "tool"; readonly name: string }
  /** Only these may be called; `isRequired`: one must be. */
  | { readonly kind: "allowed"; readonly names: readonly string[]; readonly isRequired: boolean }
  | { readonly kind: "opaque"; readonly dialect: DialectId; readonly raw: unknown }
);

export type StructuredOutputFormat = { readonly path: string } & (
  | { readonly kind: "json" }
  | {
      readonly kind: "schema";
      readonly name: string | undefined;
      readonly description: string | undefined;
      readonly schema: JsonObject;
      readonly strict: boolean | undefined;
    }
);

/** How hard to think, in the words of chat and responses; messages has words and budgets. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface ReasoningControl {
  readonly path: string;
  /** `default`: what the model does when nothing is said but a summary or display. */
  readonly mode: "effort" | "budget" | "adaptive" | "disabled" | "default";
  readonly effort: ReasoningEffort | undefined;
  /** Tokens, of `thinking.budget_tokens`. */
  readonly budgetTokens: number | undefined;
  /** Readable summaries: `auto`, `concise`, `detailed` (responses), `summarized`, `omitted` (messages). */
  readonly summary: string | undefined;
  /** The caller wants what it can send back later (`include: reasoning.encrypted_content`). */
  readonly wantsEncrypted: boolean;
}

export interface SamplingParameters {
  readonly temperature: ValueWithPath<number> | undefined;
  readonly topP: ValueWithPath<number> | undefined;
  readonly topK: ValueWithPath<number> | undefined;
  readonly presencePenalty: ValueWithPath<number> | undefined;
  readonly frequencyPenalty: ValueWithPath<number> | undefined;
  readonly seed: ValueWithPath<number> | undefined;
}

export interface LogprobControl {
  /** Alternatives per token; undefined: the chosen token only. */
  readonly top: number | undefined;
}
