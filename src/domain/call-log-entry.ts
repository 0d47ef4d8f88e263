import type { EntityManager } from "@mikro-orm/postgresql";
import type { CallTags } from "./call-tags.ts";

/** In which dialect a caller spoke. */
export type CallDialect = "chat" | "responses" | "messages";

/** Whose credential served a call: the account's own, or the operator's for money. */
export type PaymentRoute = "byo" | "credits";

/** How the body of a call went on. */
export type CallForwardingMode = "pass_through" | "transcode";

/** Why a target of an alias was passed over. */
export type TargetSkipReason = "resting" | "not_allowed" | "no_credential" | "route" | "mode";

/** One dial of a call. */
export interface CallAttempt {
  /** Canonical id of the model that was dialled. */
  readonly target: string;
  /** HTTP status; undefined: it did not answer. */
  readonly status: number | undefined;
  /** Why it did not: an error of a probe, or `reset`. */
  readonly failure: string | undefined;
  readonly ms: number;
}

/** A target of an alias that was not dialled. */
export interface SkippedTarget {
  readonly target: string;
  readonly reason: TargetSkipReason;
}

/** What a call has used that nobody pays for here. */
export interface ByoCallUsage {
  /** Caches included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly isEstimated: boolean;
  /** The vendor's own usage object. */
  readonly raw: unknown;
}

/** A model call that was let in and has ended, as it is kept. No body, header value or address is in it. */
export interface CallLogEntry {
  /** `call_…`. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly dialect: CallDialect;
  /** `createChatCompletion` for instance. */
  readonly operation: string;
  /** Canonical id of the model that was called; undefined: it was refused before it was known. */
  readonly model: string | undefined;
  /** Canonical id of the model that answered. */
  readonly target: string | undefined;
  readonly route: PaymentRoute | undefined;
  readonly lane: CallForwardingMode | undefined;
  readonly isStream: boolean;
  /** HTTP status; 499: the caller hung up. */
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly attempts: readonly CallAttempt[];
  readonly skipped: readonly SkippedTarget[];
  /** What transcoding lost: `path;action;reason`. */
  readonly warnings: readonly string[];
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** How long it took. */
  readonly ms: number;
  /** From the dial to the first byte of the answer. */
  readonly firstByteMs: number | undefined;
  /** Undefined: none. */
  readonly tags: CallTags | undefined;
  /** Id of a response that the upstream of the account's own keeps. */
  readonly responseId: string | undefined;
  /** Turn of the agent that it was made for. */
  readonly turn: string | undefined;
  /** Made again because a process died. */
  readonly isRepeated: boolean;
  /** Undefined: it used nothing, or it was reserved for, and the ledger knows. */
  readonly use: ByoCallUsage | undefined;
}

/** Keeps calls; implemented by the call domain. */
export interface CallLogRecorder {
  /** Notes a call that has ended; never throws. */
  record(call: CallLogEntry): void;
}

/** Keeps calls with what else is written of them; implemented by the call domain. */
export interface CallLogWriter {
  /** What calls that have ended by now need to be there; before a transaction, which must not wait for a second connection. */
  prepare(now: number): Promise<void>;
  /** Writes one inside a transaction, once however often it is tried. */
  write(em: EntityManager, call: CallLogEntry): Promise<void>;
}

/** Finds kept calls again; implemented by the call domain. */
export interface ResponseModelFinder {
  /**
   * Canonical id of the model that gave a response which its upstream keeps; undefined:
   * no call of the account is known that it came of. Rejects while the database is away.
   */
  findResponseModel(accountId: string, responseId: string): Promise<string | undefined>;
}
