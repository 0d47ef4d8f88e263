import type {
  AgentTurnProgress,
  AgentTurnUsage,
  AgentStep,
  ModelStepOutput,
} from "../../agent/run/agent-progress.ts";
import { addAgentTurnUsage, zeroAgentTurnUsage } from "../../agent/run/agent-usage.ts";
import { extractRequestedToolCalls } from "../../agent/run/requested-tool-call.ts";
import type {
  AgentToolsetSnapshot,
  AgentTurnSettings,
  AgentToolResult,
} from "../../domain/agent-turn.ts";
import type { TurnStepCallEndRecord, TurnToolsetRecord, TurnStepRecord } from "../step-record.ts";
import type { TurnStore } from "../turn-store.ts";

/** Name of the note with what an agent works with. */
const outfitStep = "outfit";

/** Writes and reads what an agent's turn notes of its steps: what holds of the conversation is sealed. */
export class AgentStepLog {
  readonly #store: Pick<TurnStore, "sealStepRecord" | "openStepRecord">;
  readonly #turnId: string;
  readonly #agent: AgentTurnSettings;

  constructor(
    store: Pick<TurnStore, "sealStepRecord" | "openStepRecord">,
    turnId: string,
    agent: AgentTurnSettings,
  ) {
    this.#store = store;
    this.#turnId = turnId;
    this.#agent = agent;
  }

  /** The note of an outfit, and its name. */
  toolsetRecord(
    outfit: AgentToolsetSnapshot,
    startedAt: number,
  ): readonly [string, TurnToolsetRecord] {
    return [outfitStep, { outfit: this.#seal(outfitStep, outfit), startedAt }];
  }

  modelCallRecord(
    callId: string,
    step: number,
    said: ModelStepOutput,
    spending: AgentTurnUsage,
  ): Omit<TurnStepCallEndRecord, "ended"> {
    return { step, spending, sealed: this.#seal(callId, said) };
  }

  toolCallRecord(callName: string, result: AgentToolResult): Omit<TurnStepCallEndRecord, "ended"> {
    return { sealed: this.#seal(callName, result) };
  }

  /** The record of rejected calls, under one name. */
  rejectedCallsRecord(
    name: string,
    results: readonly (readonly [callName: string, AgentToolResult])[],
  ): Omit<TurnStepCallEndRecord, "ended"> {
    return { rejected: this.#seal(name, results) };
  }

  /** Undefined: it was not noted, and nothing was called. */
  toolsetIn(
    notes: readonly TurnStepRecord[],
  ): { readonly toolset: AgentToolsetSnapshot; readonly startedAt: number } | undefined {
    const note = notes.find((one) => "outfit" in one);
    if (note === undefined) return undefined;
    const toolset = this.#open(outfitStep, note.outfit) as AgentToolsetSnapshot;
    return { toolset, startedAt: note.startedAt };
  }

  /** The progress as it was noted; `begun` is that before the first model call. */
  progressIn(notes: readonly TurnStepRecord[], begun: AgentTurnProgress): AgentTurnProgress {
    const ends = notes.filter((note): note is TurnStepCallEndRecord => "ended" in note);
    const results = new Map(ends.flatMap((end) => this.#resultsIn(end)));
    const said = ends
      .flatMap(({ ended, step, sealed }) =>
        step === undefined || sealed === undefined ? [] : [{ ended, step, sealed }],
      )
      .toSorted((one, other) => one.step - other.step)
      .map(({ ended, step, sealed }) =>
        this.stepOf(begun, step, this.#open(ended, sealed) as ModelStepOutput),
      );
    const steps = [...begun.steps, ...said].map((step) => ({ ...step, results }));
    const spending = ends.reduce(
      (sum, end) => addAgentTurnUsage(sum, end.spending ?? zeroAgentTurnUsage),
      begun.usage,
    );
    return { ...begun, steps, usage: spending };
  }

  /** A step that a model call has just made. */
  stepOf(
    { toolset: outfit }: Pick<AgentTurnProgress, "toolset">,
    number: number,
    said: ModelStepOutput,
  ): AgentStep {
    const { canApprove } = this.#agent;
    const place = { turnId: this.#turnId, step: number, toolset: outfit, canApprove };
    return {
      ...said,
      number,
      requests: extractRequestedToolCalls(said.output, place),
      results: new Map(),
    };
  }

  #resultsIn({
    ended,
    step,
    sealed,
    rejected,
  }: TurnStepCallEndRecord): readonly (readonly [string, AgentToolResult])[] {
    if (rejected !== undefined)
      return this.#open(ended, rejected) as [callName: string, AgentToolResult][];
    if (step !== undefined || sealed === undefined) return [];
    return [[ended, this.#open(ended, sealed) as AgentToolResult]];
  }

  #seal(step: string, note: object): string {
    return this.#store.sealStepRecord(this.#turnId, step, note);
  }

  #open(step: string, sealed: string): unknown {
    return this.#store.openStepRecord(this.#turnId, step, sealed);
  }
}

/** Calls of tools that were about to be made, by name. */
export function listStartedToolCallNames(notes: readonly TurnStepRecord[]): ReadonlySet<string> {
  return new Set(notes.flatMap((note) => ("tool" in note ? [note.tool] : [])));
}
