import type { AgentTurnUsage } from "../agent/run/agent-progress.ts";
import type { OrphanedCallRecoveryRecord } from "../domain/durable-turn.ts";

/** What is noted of the steps of a turn: that something begins, or has ended, and what an agent works with. */
export type TurnStepRecord =
  | ModelCallNote
  | ToolCallNote
  | TurnStepCallEndRecord
  | TurnToolsetRecord
  | SurvivalRecord;

/** A model call that is about to be made; `step`: of an agent's turn. */
type ModelCallNote = OrphanedCallRecoveryRecord & { readonly step?: number };

/** A call of a tool that is about to be made, by its name. */
interface ToolCallNote {
  readonly tool: string;
}

/** What an agent works with, sealed, and when its turn began. */
export interface TurnToolsetRecord {
  readonly outfit: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A model call whose process lost the turn, because it was too slow or cut off, and lived. */
interface SurvivalRecord {
  readonly survived: string;
}

/**
 * Model calls of one step whose processes died, after which the turn fails. A turn that kills
 * whoever runs it must not be paid for again and again.
 */
export const maxCrashedModelCallsPerStep = 5;

/** Model calls of one step whose processes died or lost the turn, after which the turn fails. A slow machine may not make it cost more. */
const maxUnheardCalls = 15;

/** What a turn fails with that has lost so many. */
export const tooManyInterruptedCallsFailure = {
  code: "server_error",
  message: `The model call was interrupted at least ${maxCrashedModelCallsPerStep} times. Ask for a shorter answer, or send the request again.`,
};

/**
 * Returns whether the model calls of a step were interrupted so often that the turn fails.
 *
 * @param step undefined for the turn of an ordinary model
 */
export function hasTooManyInterruptedCalls(
  notes: readonly TurnStepRecord[],
  step: number | undefined,
): boolean {
  const lost = listInterruptedModelCalls(notes, step);
  const survived = new Set(notes.flatMap((note) => ("survived" in note ? [note.survived] : [])));
  const fatal = lost.filter(({ callId }) => !survived.has(callId));
  return fatal.length >= maxCrashedModelCallsPerStep || lost.length >= maxUnheardCalls;
}

/**
 * Lists the model calls of a step of which nobody heard the end.
 *
 * @param step undefined for the turn of an ordinary model
 */
export function listInterruptedModelCalls(
  notes: readonly TurnStepRecord[],
  step: number | undefined,
): readonly OrphanedCallRecoveryRecord[] {
  const ends = notes.filter((note): note is TurnStepCallEndRecord => "ended" in note);
  const ended = new Set(ends.flatMap((end) => (end.isLost === true ? [] : [end.ended])));
  return notes.filter(
    (note): note is ModelCallNote =>
      "callId" in note && note.step === step && !ended.has(note.callId),
  );
}

/** The end of a call, of a model or a tool, by its id or name. */
export interface TurnStepCallEndRecord {
  readonly ended: string;
  /** Of a model call of an agent. */
  readonly spending?: AgentTurnUsage;
  /** Its process died. */
  readonly isLost?: true;
  /** Set: it is what the model said in this step. */
  readonly step?: number;
  /** What the model said, or the tool answered. */
  readonly sealed?: string;
  /** Sealed names and results of the rejected calls in a step. */
  readonly rejected?: string;
}
