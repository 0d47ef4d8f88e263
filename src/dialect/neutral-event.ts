import type { JsonObject } from "./json.ts";
import type { ResponseServiceTier } from "./service-tier.ts";
import type { EncryptedReasoning, ClientToolKind } from "./neutral-request.ts";
import type { TokenUsage } from "./usage.ts";

/**
 * One step of an answer, in no dialect. A stream is `response-start`, then parts,
 * each `part-start`, any number of `part-delta`, `part-end`, then `usage` as
 * often as it is told, then exactly one `response-end` or `error`. Parts are numbered
 * in the order in which they start; several may be open at once, because chat
 * interleaves its calls. An answer that is no stream is the fold of the same
 * events (`turn-answer.ts`).
 */
export type NeutralEvent =
  /** `tier` as far as it is known already. */
  | { readonly type: "response-start"; readonly tier?: ResponseServiceTier | undefined }
  | { readonly type: "part-start"; readonly index: number; readonly part: NeutralPartHead }
  | { readonly type: "part-delta"; readonly index: number; readonly delta: NeutralPartDelta }
  | { readonly type: "part-end"; readonly index: number }
  /** What is known so far; a later one replaces field by field what it tells. */
  | { readonly type: "usage"; readonly usage: TokenUsage }
  | NeutralEnd
  | { readonly type: "error"; readonly error: NeutralError };

/** What is known of a part when it starts. */
export type NeutralPartHead =
  | { readonly type: "text" }
  | { readonly type: "refusal" }
  | { readonly type: "reasoning" }
  /** A summary of the conversation; its text is sealed. */
  | { readonly type: "compaction" }
  | {
      readonly type: "tool-call";
      readonly kind: ClientToolKind;
      readonly id: string;
      readonly name: string;
      readonly namespace?: string | undefined;
    };

export type NeutralPartDelta =
  /** Text of a text, refusal, reasoning or compaction part. */
  | { readonly type: "text"; readonly text: string; readonly logprobs?: readonly unknown[] }
  /** A further readable part of the reasoning begins: summaries come in several. */
  | { readonly type: "next-summary" }
  /** A piece of a call's arguments: of JSON text, or of a custom tool's text. */
  | { readonly type: "arguments"; readonly text: string }
  /** Comes once, behind the text of a reasoning part. */
  | { readonly type: "encrypted-reasoning"; readonly seal: EncryptedReasoning }
  | { readonly type: "citation"; readonly citation: Citation };

/** A source of a text, as far as every dialect can name one. */
export interface Citation {
  readonly url: string;
  readonly title: string;
  /** The cited words of the text, where they are known. */
  readonly citedText: string | undefined;
  /** UTF-16 offsets in the text of the part; undefined: the place is not known. */
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** Why an answer ended, beyond all dialects. */
export type NeutralStopReason =
  | "end"
  | "stop-sequence"
  | "length"
  | "context-window"
  | "tool-calls"
  | "refusal"
  /** A vendor's own tools want another turn. */
  | "pause"
  /** A word that this code does not know; `raw` has it. */
  | "unknown";

export interface NeutralEnd {
  readonly type: "response-end";
  readonly reason: NeutralStopReason;
  /** The upstream's own word. */
  readonly raw: string | undefined;
  readonly stopSequence?: string | undefined;
  /** Why the model refused, as far as it said. */
  readonly explanation?: string | undefined;
  /** The vendor's word for what it refused (`stop_details.category`). */
  readonly category?: string | undefined;
  /** The tier that served the answer, where the upstream tells. */
  readonly tier?: ResponseServiceTier | undefined;
  /** With `pause`: the upstream's own content blocks, which it wants back to go on. */
  readonly resume?: readonly JsonObject[] | undefined;
}

/** An error that an upstream told inside a stream that had begun. */
export interface NeutralError {
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly message: string;
  /** The upstream's name of what was wrong in the request. */
  readonly param?: string | undefined;
}
