import { asString, type JsonObject } from "../../dialect/json.ts";
import { missingResponse } from "../../dialect/responses/missing-kept.ts";
import type { AgentThreads, FoundThread, ThreadConversation } from "../../kernel/agent-thread.ts";
import { invalidRequest } from "../../platform/errors.ts";
import type { ModelCall } from "../call/model-call.ts";
import { loadKept, type KeptSource } from "../response/kept-references.ts";

/** Where in which thread a call goes on. */
export interface ThreadPlace {
  /** Undefined: a thread begins. */
  readonly thread: FoundThread | undefined;
  /** Name of a thread that begins; undefined: it gets one. */
  readonly session: string | undefined;
  /** What was said before. */
  readonly conversation: ThreadConversation;
  /** The caller names the response that it goes on from: all that it sends is new. */
  readonly isAllNew: boolean;
}

/** A turn that has to end before the thread can go on. */
export interface BusyPlace extends Pick<ThreadPlace, "isAllNew"> {
  readonly running: string;
}

/** Where threads and other kept conversations are. */
export interface PlaceSources extends KeptSource {
  readonly threads: AgentThreads;
}

/**
 * Finds where a call goes on: at the end of the thread that it names, behind the response
 * that it names, or at the beginning of a thread. Throws 400 with its `param` for a
 * response that there is not, and for two names that do not fit.
 */
export async function findPlace(
  sources: PlaceSources,
  { key, controls: { session } }: ModelCall,
  body: JsonObject,
): Promise<ThreadPlace | BusyPlace> {
  const { accountId } = key.principal;
  const previousId = asString(body["previous_response_id"]);
  if (previousId !== undefined) return behindResponse(sources, accountId, previousId, session);
  const { threads } = sources;
  const thread = session === undefined ? undefined : await threads.find(accountId, session);
  if (thread === undefined) return beginning(session, threads.said([]), false);
  if (thread.running !== undefined) return { running: thread.running, isAllNew: false };
  const conversation = await threads.conversation(thread);
  return { thread, session: thread.session, conversation, isAllNew: false };
}

async function behindResponse(
  sources: PlaceSources,
  accountId: string,
  id: string,
  session: string | undefined,
): Promise<ThreadPlace | BusyPlace> {
  const { threads } = sources;
  const thread = await threads.ofTurn(accountId, id);
  if (thread === undefined) return behindKept(sources, accountId, id, session);
  if (session !== undefined && session !== thread.session) throw otherThread(id, thread.session);
  if (thread.running === id) return { running: id, isAllNew: true };
  const whole = await threads.conversation(thread);
  const isLast = whole.lastTurn === id;
  if (isLast) return { thread, session: thread.session, conversation: whole, isAllNew: true };
  return beginning(undefined, await threads.conversation(thread, id), true);
}

/** An answer of an ordinary model: a thread begins with its conversation. */
async function behindKept(
  { threads, ...source }: PlaceSources,
  accountId: string,
  id: string,
  session: string | undefined,
): Promise<ThreadPlace> {
  const { previous } = await loadKept(source, accountId, { previousId: id, itemIds: [] });
  if (previous === undefined) throw missingResponse(id);
  const isTaken = session !== undefined && (await threads.find(accountId, session)) !== undefined;
  if (isTaken) throw otherThread(id, undefined);
  return beginning(session, threads.said(previous), true);
}

function beginning(
  session: string | undefined,
  conversation: ThreadConversation,
  isAllNew: boolean,
): ThreadPlace {
  return { thread: undefined, session, conversation, isAllNew };
}

function otherThread(id: string, session: string | undefined): Error {
  const place = session === undefined ? "no thread" : `the thread \`${session}\``;
  return invalidRequest(
    "x-svc-session",
    `The response \`${id}\` belongs to ${place}: leave the header out, or name that thread.`,
  );
}
