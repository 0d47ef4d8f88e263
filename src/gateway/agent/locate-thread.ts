import { RequestFieldReader } from "../../dialect/body-reader.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { previousResponseNotFoundError } from "../../dialect/responses/missing-stored.ts";
import type {
  AgentThreadService,
  ThreadWithRunningTurn,
  ThreadConversation,
} from "../../domain/agent-thread.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import type { ModelCall } from "../call/model-call.ts";
import {
  loadReferencedItems,
  type StoredItemDependencies,
} from "../stored-responses/stored-references.ts";

/** Where in which thread a call goes on. */
export interface ThreadResumePoint {
  /** Undefined: a thread begins. */
  readonly thread: ThreadWithRunningTurn | undefined;
  /** Name of a thread that begins; undefined: it gets one. */
  readonly session: string | undefined;
  /** What was said before. */
  readonly conversation: ThreadConversation;
  /** The caller names the response that it goes on from: all that it sends is new. */
  readonly isAllNew: boolean;
}

/** A turn that has to end before the thread can go on. */
export interface BusyThread extends Pick<ThreadResumePoint, "isAllNew"> {
  readonly running: string;
  /** Id of that thread. */
  readonly threadId: string;
}

/** Where threads and other kept conversations are. */
export interface ThreadLookupDependencies extends StoredItemDependencies {
  readonly threads: AgentThreadService;
}

/**
 * Finds where a call goes on: at the end of the thread that it names, behind the response
 * that it names, or at the beginning of a thread. Throws 400 with its `param` for a
 * response that there is not, or that is not a string, and for two names that do not fit.
 */
export async function locateThreadContinuationPoint(
  sources: ThreadLookupDependencies,
  { key, hold, controls: { session } }: ModelCall,
  body: JsonObject,
): Promise<ThreadResumePoint | BusyThread> {
  const { accountId } = key.principal;
  const previousId = new RequestFieldReader(body).string("previous_response_id");
  if (previousId !== undefined) {
    return afterResponse({ ...sources, hold }, accountId, previousId, session);
  }
  const { threads } = sources;
  const thread = session === undefined ? undefined : await threads.find(accountId, session);
  if (thread === undefined) return beginning(session, threads.conversationOf([]), false);
  const { id: threadId, running } = thread;
  if (running !== undefined) return { running, threadId, isAllNew: false };
  const conversation = await threads.conversation(thread, hold);
  return { thread, session: thread.session, conversation, isAllNew: false };
}

/** What counts the bytes that are loaded for a call. */
interface Holding {
  readonly hold: MemoryReserver;
}

async function afterResponse(
  sources: ThreadLookupDependencies & Holding,
  accountId: string,
  id: string,
  session: string | undefined,
): Promise<ThreadResumePoint | BusyThread> {
  const { threads, hold } = sources;
  const thread = await threads.findByTurn(accountId, id);
  if (thread === undefined) return afterStored(sources, accountId, id, session);
  if (session !== undefined && session !== thread.session) throw otherThread(id, thread.session);
  if (thread.running === id) return { running: id, threadId: thread.id, isAllNew: true };
  const whole = await threads.conversation(thread, hold);
  const isLast = whole.lastTurn === id;
  if (isLast) return { thread, session: thread.session, conversation: whole, isAllNew: true };
  return beginning(undefined, await threads.conversation(thread, hold, id), true);
}

/** An answer of an ordinary model: a thread begins with its conversation. */
async function afterStored(
  { threads, hold, ...source }: ThreadLookupDependencies & Holding,
  accountId: string,
  id: string,
  session: string | undefined,
): Promise<ThreadResumePoint> {
  const { previous } = await loadReferencedItems(
    source,
    accountId,
    { previousId: id, itemIds: [] },
    hold,
  );
  if (previous === undefined) throw previousResponseNotFoundError(id);
  const isTaken = session !== undefined && (await threads.find(accountId, session)) !== undefined;
  if (isTaken) throw otherThread(id, undefined);
  return beginning(session, threads.resentConversation(accountId, previous), true);
}

function beginning(
  session: string | undefined,
  conversation: ThreadConversation,
  isAllNew: boolean,
): ThreadResumePoint {
  return { thread: undefined, session, conversation, isAllNew };
}

function otherThread(id: string, session: string | undefined): Error {
  const place = session === undefined ? "no thread" : `the thread \`${session}\``;
  return invalidRequestError(
    "x-svc-session",
    `The response \`${id}\` belongs to ${place}: leave the header out, or name that thread.`,
  );
}
