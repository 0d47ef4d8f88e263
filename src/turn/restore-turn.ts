import { asObject, type JsonObject } from "../dialect/json.ts";
import type { CallIntent, ResponseEvent } from "../kernel/durable-turn.ts";
import { ResponseJournal } from "./journal/response-journal.ts";
import type { StepNote } from "./step-note.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import type { StoredTurn, TurnStore } from "./turn-store.ts";

/** A turn as it stands when a process takes it. */
export interface RestoredTurn {
  readonly turn: StoredTurn;
  readonly journal: ResponseJournal;
  /** The model call that was under way when its process died; undefined: none was. */
  readonly lost: LostCall | undefined;
  /** A process that had the turn before noted a call: whatever is called now is called again. */
  readonly wasDialled: boolean;
  /** Of its steps so far, oldest first. */
  readonly notes: readonly StepNote[];
}

/** A model call of which nobody heard the end. */
export interface LostCall {
  readonly intent: CallIntent;
  /** Characters that callers were told of its answer. */
  readonly told: number;
}

interface RestoreDependencies {
  readonly queue: TurnQueue;
  readonly store: TurnStore;
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
  if (claim.attempt > 1) return restoreAsTold(dependencies, claim);
  const turn = known ?? (await dependencies.store.load(claim.turnId));
  if (turn === undefined || turn.ended !== undefined) return undefined;
  const journal = new ResponseJournal(turn.content.response);
  // Nobody has run it: nothing was told but its beginning.
  journal.open();
  return { turn, journal, lost: undefined, wasDialled: false, notes: [] };
}

/** The same of a turn that has been run. */
export async function restoreAsTold(
  { queue, store }: RestoreDependencies,
  claim: ClaimedTurn,
): Promise<RestoredTurn | undefined> {
  const turn = await store.load(claim.turnId);
  if (turn === undefined || turn.ended !== undefined) return undefined;
  const journal = new ResponseJournal(turn.content.response);
  const told = await store.toldAfter(turn.id, -1);
  const events = (told?.batches ?? []).flatMap(({ frames }) => frames.map(eventIn));
  for (const event of events) journal.restore(event);
  const notes = await queue.notes<StepNote>(claim);
  return { turn, journal, lost: lostCall(notes, events), wasDialled: notes.length > 0, notes };
}

function lostCall(
  notes: readonly StepNote[],
  events: readonly ResponseEvent[],
): LostCall | undefined {
  const ended = new Set(notes.flatMap((note) => ("ended" in note ? [note.ended] : [])));
  const intent = notes.findLast(
    (note): note is CallIntent => "callId" in note && !ended.has(note.callId),
  );
  return intent && { intent, told: toldBy(events, intent) };
}

/** Only what came after the call began is its own: the others' is behind the items that had ended. */
function toldBy(events: readonly ResponseEvent[], { toldBefore }: CallIntent): number {
  return events
    .slice(toldBefore)
    .reduce((sum, { delta }) => sum + (typeof delta === "string" ? delta.length : 0), 0);
}

/** The event that a frame brings. */
export function eventIn(frame: string): ResponseEvent {
  const line = frame.slice(frame.indexOf("data: ") + "data: ".length, -2);
  const event: JsonObject = asObject(JSON.parse(line)) ?? {};
  return { ...event, type: String(event["type"]) };
}
