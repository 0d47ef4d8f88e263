import type {
  AgentProgress,
  AgentSpending,
  AgentStep,
  SaidByModel,
} from "../../agent/run/agent-progress.ts";
import { addSpending, nothingSpent } from "../../agent/run/spending.ts";
import { toolRequests } from "../../agent/run/tool-request.ts";
import type { AgentOutfit, AgentTurn, ToolResult } from "../../kernel/agent-turn.ts";
import type { EndedNote, OutfitNote, StepNote } from "../step-note.ts";
import type { TurnStore } from "../turn-store.ts";

/** Name of the note with what an agent works with. */
const outfitStep = "outfit";

/** Writes and reads what an agent's turn notes of its steps: what holds of the conversation is sealed. */
export class AgentNotes {
  readonly #store: Pick<TurnStore, "sealNote" | "openNote">;
  readonly #turnId: string;
  readonly #agent: AgentTurn;

  constructor(store: Pick<TurnStore, "sealNote" | "openNote">, turnId: string, agent: AgentTurn) {
    this.#store = store;
    this.#turnId = turnId;
    this.#agent = agent;
  }

  /** The note of an outfit, and its name. */
  outfitNote(outfit: AgentOutfit, startedAt: number): readonly [string, OutfitNote] {
    return [outfitStep, { outfit: this.#seal(outfitStep, outfit), startedAt }];
  }

  modelNote(
    callId: string,
    step: number,
    said: SaidByModel,
    spending: AgentSpending,
  ): Omit<EndedNote, "ended"> {
    return { step, spending, sealed: this.#seal(callId, said) };
  }

  toolNote(callName: string, result: ToolResult): Omit<EndedNote, "ended"> {
    return { sealed: this.#seal(callName, result) };
  }

  /** Undefined: it was not noted, and nothing was called. */
  outfitIn(
    notes: readonly StepNote[],
  ): { readonly outfit: AgentOutfit; readonly startedAt: number } | undefined {
    const note = notes.find((one) => "outfit" in one);
    if (note === undefined) return undefined;
    const outfit = this.#open(outfitStep, note.outfit) as AgentOutfit;
    return { outfit, startedAt: note.startedAt };
  }

  /** The progress as it was noted; `begun` is that before the first model call. */
  progressIn(notes: readonly StepNote[], begun: AgentProgress): AgentProgress {
    const ends = notes.filter((note): note is EndedNote => "ended" in note);
    const results = new Map(
      ends.flatMap(({ ended, step, sealed }) =>
        step === undefined && sealed !== undefined
          ? [[ended, this.#open(ended, sealed) as ToolResult] as const]
          : [],
      ),
    );
    const said = ends
      .flatMap(({ ended, step, sealed }) =>
        step === undefined || sealed === undefined ? [] : [{ ended, step, sealed }],
      )
      .toSorted((one, other) => one.step - other.step)
      .map(({ ended, step, sealed }) =>
        this.stepOf(begun, step, this.#open(ended, sealed) as SaidByModel),
      );
    const steps = [...begun.steps, ...said].map((step) => ({ ...step, results }));
    const spending = ends.reduce(
      (sum, end) => addSpending(sum, end.spending ?? nothingSpent),
      begun.spending,
    );
    return { ...begun, steps, spending };
  }

  /** A step that a model call has just made. */
  stepOf({ outfit }: Pick<AgentProgress, "outfit">, number: number, said: SaidByModel): AgentStep {
    const { canApprove } = this.#agent;
    const place = { turnId: this.#turnId, step: number, outfit, canApprove };
    return { ...said, number, requests: toolRequests(said.output, place), results: new Map() };
  }

  #seal(step: string, note: object): string {
    return this.#store.sealNote(this.#turnId, step, note);
  }

  #open(step: string, sealed: string): unknown {
    return this.#store.openNote(this.#turnId, step, sealed);
  }
}

/** Calls of tools that were about to be made, by name. */
export function begunCalls(notes: readonly StepNote[]): ReadonlySet<string> {
  return new Set(notes.flatMap((note) => ("tool" in note ? [note.tool] : [])));
}

/** Whether a process died while it made the model call of a step, which is made again then. */
export function wasLost(notes: readonly StepNote[], step: number): boolean {
  const lost = new Set(
    notes.flatMap((note) => ("ended" in note && note.isLost === true ? [note.ended] : [])),
  );
  const ended = new Set(notes.flatMap((note) => ("ended" in note ? [note.ended] : [])));
  return notes.some(
    (note) =>
      "callId" in note && note.step === step && (lost.has(note.callId) || !ended.has(note.callId)),
  );
}
