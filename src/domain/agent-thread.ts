import type { AgentEngine } from "./agent-turn.ts";
import type { ThreadContinuation } from "./durable-turn.ts";
import { ApiError } from "../platform/errors.ts";
import type { MemoryReserver } from "../platform/hold-memory.ts";
import type { JsonObject } from "../platform/json-value.ts";

/** A thread of an account, as whoever begins its next turn finds it. */
export interface ThreadWithRunningTurn {
  /** `thread_…`. */
  readonly id: string;
  readonly session: string;
  /** The turn that waits or runs; undefined: all have ended. */
  readonly running: string | undefined;
}

/** What was said in a thread: items of the responses dialect, oldest first. */
export interface ThreadConversation {
  readonly items: readonly JsonObject[];
  /** Id of the turn that stands last; undefined: there is none. */
  readonly lastTurn: string | undefined;
  /** What that turn ran on. */
  readonly lastEngine: AgentEngine | undefined;
  /** Ids of the calls whose results its caller may send. */
  readonly openToolCalls: ReadonlySet<string>;
  /** Ids of the `mcp_approval_request`s that wait for an answer. */
  readonly openApprovals: ReadonlySet<string>;
  /** The items as they stand before an input: a call that it does not answer has a result that says so. */
  itemsBefore(input: readonly JsonObject[]): readonly JsonObject[];
}

/** Threads of agents; implemented by the agent domain. All reject with 503 while the database is away. */
export interface AgentThreadService {
  /** Undefined: the account has no such thread. */
  find(accountId: string, session: string): Promise<ThreadWithRunningTurn | undefined>;
  /** The thread that a turn of the account belongs to. */
  findByTurn(accountId: string, turnId: string): Promise<ThreadWithRunningTurn | undefined>;
  /** What was said up to and with a turn; undefined: all. `hold` counts its bytes before it is loaded. Rejects with 413 for more than 400,000 JSON values. */
  conversation(
    thread: Pick<ThreadWithRunningTurn, "id">,
    hold: MemoryReserver,
    upTo?: string,
  ): Promise<ThreadConversation>;
  /** The same of items alone, that no turn of a thread has said. */
  conversationOf(items: readonly JsonObject[]): ThreadConversation;
  /** Reads a conversation from items that a caller sends. Approval requests that this installation did not sign for the account cannot be approved. */
  resentConversation(accountId: string, items: readonly JsonObject[]): ThreadConversation;
  /** A thread that there is not yet, and what was said before its first turn. */
  prepareThread(session: string | undefined, history: readonly JsonObject[]): ThreadContinuation;
}

/** The error for a thread that has more than `limit`. */
export function threadTooLargeError(limit: string): ApiError {
  return new ApiError(
    "request_too_large",
    `The thread has more than ${limit}. Begin another thread, or delete turns with DELETE /v1/responses/{id}.`,
  );
}
