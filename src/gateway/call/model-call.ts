import type { IncomingHttpHeaders } from "node:http";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import type { RateLimitBucketState } from "../../platform/rate-limit/request-buckets.ts";
import type { CallControlHeaders } from "../admission/control-headers.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";

/** A call that has come; nothing of it is judged yet. */
export interface ReceivedModelCall {
  /** As its answer's `x-request-id` shows it. */
  readonly requestId: string;
  /** Network address of the caller. */
  readonly address: string;
  readonly surface: DialectOperation;
  /** Query of the request's address with its question mark; empty: it has none. */
  readonly query: string;
  /** Headers of the request. */
  readonly headers: IncomingHttpHeaders;
  /** `performance.now()`. */
  readonly startedAt: number;
}

/** A call that was let in by its headers. */
export interface HeaderAdmittedCall extends ReceivedModelCall {
  readonly key: CallerKey;
  /** `call_…`: by it the call is kept, billed, and named in its answer. */
  readonly callId: string;
  readonly controls: CallControlHeaders;
  /** How much the key may still ask for. */
  readonly bucket: RateLimitBucketState;
  /** When that was looked at, in milliseconds since the epoch. */
  readonly rateLimitAt: number;
  /** Turn that the call is made for; undefined: none. */
  readonly turnId?: string;
  /** An agent makes it, whose limit of output may be more than its model has. */
  readonly isMadeByAgent?: boolean;
  /** It has become a turn, whose calls are others. */
  readonly isQueued?: boolean;
  /** Place of that turn in the queue as it was stored; undefined: it has begun, or there is none. */
  readonly queuePosition?: number | undefined;
  /** The turn that it has become, where an agent answers. */
  readonly agent?: AgentTurnReference;
}

/** A call whose body has arrived. */
export interface CallWithBufferedBody extends HeaderAdmittedCall {
  /** Counts the memory of the call, without its body, among the bytes that its account holds. */
  readonly hold: MemoryReserver;
}

/** What a call is told of the agent's turn that answers it. */
export interface AgentTurnReference {
  /** `turn_…`. */
  readonly turnId: string;
  readonly session: string;
  /** Where its first model call goes; undefined: an alias decides that at each call. */
  readonly plan: PlannedCallTarget | undefined;
}

/** A call whose body was read. The bytes are not part of it: they are let go before it ends. */
export interface ModelCall extends CallWithBufferedBody {
  readonly isStream: boolean;
  readonly requestBytes: number;
  /** Tokens of the input, by a quick look at the bytes. */
  readonly estimatedInput: number;
}

/** A call of which it is decided where it goes. */
export interface RoutedCall extends ModelCall {
  readonly plan: PlannedCallTarget;
}

/** A call however far it came. */
export type PartiallyRoutedCall = ReceivedModelCall & Partial<RoutedCall>;
