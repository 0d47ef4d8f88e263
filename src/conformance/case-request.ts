import type { JsonObject } from "../platform/json-value.ts";

/** The dialects that are scored. */
export type ConformanceDialectName = "chat" | "responses" | "messages";

/** What a case asks of the model, in no dialect; a `ConformanceDialect` writes it. */
export interface ConformanceCaseRequest {
  readonly messages: readonly ConformanceCaseMessage[];
  /** Instructions before everything else. */
  readonly system?: string;
  readonly tools?: readonly ConformanceCaseTool[];
  /** The model has to call a tool. */
  readonly requiresToolCall?: boolean;
  /** Most tokens of the answer; where a dialect needs one, a generous cap is sent. */
  readonly maxTokens?: number;
  /** The older name of the cap, for chat upstreams that refuse the newer. */
  readonly usesLegacyMaxTokens?: boolean;
  readonly stop?: readonly string[];
  /** The answer has to be JSON of this schema. */
  readonly schema?: JsonObject;
  /** A chat stream is asked for its usage unless this is false. */
  readonly wantsUsage?: boolean;
  /** Members of the body that a case sets itself. */
  readonly extra?: JsonObject;
}

export interface ConformanceCaseTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export type ConformanceCaseMessage =
  | { readonly type: "user"; readonly text: string }
  /** A system message in the middle of a conversation. */
  | { readonly type: "system"; readonly text: string }
  | { readonly type: "image"; readonly text: string; readonly dataUrl: string }
  /** A whole answer of the gateway, sent back as a program would. */
  | { readonly type: "answer"; readonly body: JsonObject }
  | { readonly type: "calls"; readonly calls: readonly ConformanceCaseToolCall[] }
  | { readonly type: "results"; readonly results: readonly ConformanceCaseToolResult[] };

export interface ConformanceCaseToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ConformanceCaseToolResult {
  readonly id: string;
  readonly text: string;
}
