import { setImmediate as nextTurn } from "node:timers/promises";
import type { OrphanedCallRecoveryRecord, ResponsesStreamEvent } from "../domain/durable-turn.ts";
import type { MemoryReserver } from "../platform/hold-memory.ts";
import { TurnEventJournal } from "./journal/response-journal.ts";
import { parseSseFrameEvent } from "./parse-frame.ts";
import type { TurnStepRecord } from "./step-record.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import {
  getFrameBatchLastSequence,
  type TurnFrameBatch,
  type StoredTurn,
  type TurnStore,
} from "./turn-store.ts";

/** A turn as it stands when a process takes it. */
export interface RestoredTurn {
  readonly turn: StoredTurn;
  readonly journal: TurnEventJournal;
  /** The model call that was under way when its process died; undefined: none was. */
  readonly lost: InterruptedModelCall | undefined;
  /** A process that had the turn before noted a call: whatever is called now is called again. */
  readonly hadModelCall: boolean;
  /** Of its steps so far, oldest first. */
  readonly stepRecords: readonly TurnStepRecord[];
}

/** How a process follows the loading of a turn. */
export interface TurnRestoreHooks {
  /** Called once the turn, and the thread of an agent's turn, were read from the database. */
  readonly onLoaded: () => void;
  /** Counts the bytes of the thread until the turn ends here. */
  readonly hold: MemoryReserver;
}

/** A model call of which nobody heard the end. */
export interface InterruptedModelCall {
  readonly intent: OrphanedCallRecoveryRecord;
  /** Characters that callers were told of its answer. */
  readonly sentCharacters: number;
}

/** Characters of events that are restored in one turn of the event loop: some milliseconds. */
const charactersPerPause = 1024 * 1024;

interface RestoreDependencies {
  readonly queue: Pick<TurnQueue, "stepRecords">;
  readonly store: Pick<TurnStore, "load" | "framesAfter">;
}

/**
 * Reads what was told and noted of a turn; undefined: it has ended, or is no more. `known`: the
 * turn, where this process has just stored it.
 */
export async function restoreTurn(
  dependencies: RestoreDependencies,
  claim: ClaimedTurn,
  known: StoredTurn | undefined,
): Promise<RestoredTurn | undefined> {
  if (claim.attempt > 1) return restoreTurnFromEvents(dependencies, claim);
  const turn = known ?? (await dependencies.store.load(claim.turnId));
  if (turn === undefined || turn.ended !== undefined) return undefined;
  const journal = new TurnEventJournal(turn.content.response);
  // Nobody has run it: nothing was told but its beginning.
  journal.open();
  return { turn, journal, lost: undefined, hadModelCall: false, stepRecords: [] };
}

/** The same of a turn that has been run. */
export async function restoreTurnFromEvents(
  { queue, store }: RestoreDependencies,
  claim: ClaimedTurn,
): Promise<RestoredTurn | undefined> {
  const turn = await store.load(claim.turnId);
  if (turn === undefined || turn.ended !== undefined) return undefined;
  const journal = new TurnEventJournal(turn.content.response);
  const notes = await queue.stepRecords<TurnStepRecord>(claim);
  const intent = interruptedIntent(notes);
  let told = 0;
  let characters = 0;
  for await (const { first, frames } of toldBatches(store, turn.id)) {
    for (const [index, frame] of frames.entries()) {
      const event = parseSseFrameEvent(frame);
      journal.restore(event);
      // Events before the call began belong to other calls.
      if (intent !== undefined && first + index >= intent.toldBefore) told += pieceLength(event);
      characters += frame.length;
      if (characters < charactersPerPause) continue;
      characters = 0;
      await nextTurn();
    }
  }
  const lost = intent && { intent, sentCharacters: told };
  return { turn, journal, lost, hadModelCall: notes.length > 0, stepRecords: notes };
}

/** All batches of a turn; memory holds one page at a time. */
async function* toldBatches(
  store: Pick<TurnStore, "framesAfter">,
  id: string,
): AsyncIterable<TurnFrameBatch> {
  let after = -1;
  for (;;) {
    const page = await store.framesAfter(id, after);
    if (page === undefined) return;
    yield* page.batches;
    const last = page.batches.at(-1);
    if (!page.hasMore || last === undefined) return;
    after = getFrameBatchLastSequence(last);
  }
}

function interruptedIntent(
  notes: readonly TurnStepRecord[],
): OrphanedCallRecoveryRecord | undefined {
  const ended = new Set(notes.flatMap((note) => ("ended" in note ? [note.ended] : [])));
  return notes.findLast(
    (note): note is OrphanedCallRecoveryRecord => "callId" in note && !ended.has(note.callId),
  );
}

function pieceLength({ delta }: ResponsesStreamEvent): number {
  return typeof delta === "string" ? delta.length : 0;
}
