import { asObject, objectsIn, type JsonObject } from "../../dialect/json.ts";
import { parsedObject } from "../../dialect/parsed-object.ts";
import type { AgentProgress, AgentSpending, SaidByModel } from "../../agent/run/agent-progress.ts";
import { approvedRequests } from "../../agent/run/approvals.ts";
import { toldListings } from "../../agent/run/listing-items.ts";
import { nothingSaid, saidByModel } from "../../agent/run/said-by-model.ts";
import { nextStep, type NextStep, type TurnTerms } from "../../agent/run/next-step.ts";
import { addSpending, nothingSpent, spendingOf } from "../../agent/run/spending.ts";
import { StepEvents } from "../../agent/run/step-events.ts";
import { callersOutputLimit, StepPrompt, wantsSeals } from "../../agent/run/step-prompt.ts";
import type { AgentHistory, AgentOutfit, AgentTools, AgentTurn } from "../../kernel/agent-turn.ts";
import type { TurnCallEnd } from "../../kernel/durable-turn.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TurnMetrics } from "../../platform/telemetry/turn-metrics.ts";
import type { HeldTurn } from "../held-turn.ts";
import type { RestoredTurn } from "../restore-turn.ts";
import type { StepNote } from "../step-note.ts";
import { callStep } from "../step-calls.ts";
import type { TurnStore } from "../turn-store.ts";
import { whileAway } from "../turn-writer.ts";
import { AgentEndings } from "./agent-endings.ts";
import { AgentNotes, begunCalls, wasLost } from "./agent-notes.ts";
import { listingFrames } from "./listing-frames.ts";
import { ToolCalls } from "./tool-calls.ts";
import { TurnTime } from "./turn-time.ts";

/** What turns of agents are run with. */
export interface AgentRunDependencies {
  readonly tools: AgentTools;
  readonly history: AgentHistory;
  readonly clock: Clock;
  readonly store: Pick<TurnStore, "sealNote" | "openNote">;
  readonly counts: Pick<TurnMetrics, "stepped">;
}

/** What is found before the first step, and the same in all. */
interface Ground {
  readonly prompt: StepPrompt;
  readonly tools: ToolCalls;
  readonly time: TurnTime;
}

/**
 * The turn of an agent: model calls, and calls of the tools that they ask for, until the
 * model is done, a limit is reached or the caller is to answer. What each step came to is
 * noted with its last events, so that whoever takes the turn over goes on behind it.
 */
export class AgentRun {
  readonly #dependencies: AgentRunDependencies;
  readonly #held: HeldTurn;
  readonly #agent: AgentTurn;
  readonly #notes: AgentNotes;
  readonly #endings: AgentEndings;
  readonly #request: JsonObject;
  readonly #terms: TurnTerms;
  #progress: AgentProgress;

  constructor(dependencies: AgentRunDependencies, held: HeldTurn, agent: AgentTurn) {
    this.#dependencies = dependencies;
    this.#held = held;
    this.#agent = agent;
    this.#notes = new AgentNotes(dependencies.store, held.turn.id, agent);
    this.#endings = new AgentEndings(held, dependencies.clock);
    this.#request = parsedObject(held.turn.content.request.body);
    this.#terms = { limits: agent.limits, maxOutputTokens: callersOutputLimit(this.#request) };
    this.#progress = {
      startedAt: dependencies.clock.now(),
      outfit: { instructions: [], tools: [] },
      history: [],
      steps: [],
      spending: nothingSpent,
    };
  }

  /** Resolves when the turn has ended, or is another's. */
  async run(restored: RestoredTurn): Promise<void> {
    const settled = await this.#settle(restored);
    const ground = await this.#prepare(settled);
    if (ground === undefined) return this.#endings.stop(this.#progress);
    try {
      await this.#goOn(ground, settled);
    } finally {
      ground.time.end();
      this.#dependencies.tools.endTurn(this.#held.turn.id);
    }
  }

  /** The notes, with that of a model call of which nobody heard the end. */
  async #settle({ notes, lost }: RestoredTurn): Promise<readonly StepNote[]> {
    if (lost === undefined) return notes;
    let spending = nothingSpent;
    await this.#held.settleLost(lost, (used) => {
      spending = spendingOf(used, undefined);
      return { spending, isLost: true };
    });
    return [...notes, { ended: lost.intent.callId, spending, isLost: true }];
  }

  /** Undefined: the turn goes on no more. */
  async #prepare(notes: readonly StepNote[]): Promise<Ground | undefined> {
    const { tools, clock, counts, history } = this.#dependencies;
    const held = this.#held;
    const kept = this.#notes.outfitIn(notes) ?? (await this.#findOutfit());
    if (kept === undefined || held.hold.isLost) return undefined;
    const { id, content } = held.turn;
    const { threadId } = this.#agent;
    const before = await whileAway(() => history.before({ id, threadId }), held.hold);
    this.#progress = this.#notes.progressIn(notes, this.#begun(kept, before));
    const listings = toldListings(id, kept.outfit, before);
    this.#endings.listings = listings.map(({ item }) => item);
    await held.tell(listingFrames(held.journal, listings));
    const leftMs = kept.startedAt + this.#agent.limits.seconds * 1000 - clock.now();
    const time = new TurnTime(leftMs, held.hold.signal);
    const begun = begunCalls(notes);
    const parts = { tools, counts, held, notes: this.#notes, time, begun };
    return {
      prompt: new StepPrompt(this.#agent, this.#request, kept.outfit, content.input),
      tools: new ToolCalls(parts, this.#agent),
      time,
    };
  }

  /** Found once, and noted for all steps. Undefined: the turn was stopped meanwhile. */
  async #findOutfit(): Promise<FoundOutfit | undefined> {
    const { tools, clock } = this.#dependencies;
    const { hold } = this.#held;
    const startedAt = clock.now();
    const declared = objectsIn(this.#request["tools"]);
    try {
      const { receiver, hosted } = this.#agent;
      const ask = () => tools.outfit(receiver, declared, hold.signal, hosted);
      const outfit = await whileAway(ask, hold);
      await this.#held.note(...this.#notes.outfitNote(outfit, startedAt));
      return { outfit, startedAt };
    } catch (error) {
      if (hold.signal.aborted) return undefined;
      throw error;
    }
  }

  /** The progress before the first model call: calls that the caller was asked for come first. */
  #begun({ outfit, startedAt }: FoundOutfit, history: readonly JsonObject[]): AgentProgress {
    const { id, content } = this.#held.turn;
    const place = { turnId: id, step: 0, outfit, canApprove: this.#agent.canApprove };
    const requests = approvedRequests(history, content.input, place);
    const opening = { ...nothingSaid, number: 0, requests, results: new Map() };
    return { startedAt, outfit, history, steps: [opening], spending: nothingSpent };
  }

  async #goOn(ground: Ground, notes: readonly StepNote[]): Promise<void> {
    const { clock } = this.#dependencies;
    const { hold } = this.#held;
    while (!hold.isLost) {
      if (hold.isCancelled) return this.#endings.stop(this.#progress);
      const next = nextStep(this.#progress, this.#terms, clock.now());
      if (next.kind === "end") return this.#endings.end(this.#progress, next.reason);
      if (next.kind === "tool_calls") {
        this.#progress = await ground.tools.make(this.#progress, next);
      } else if (await this.#ask(ground, next, wasLost(notes, next.number))) return;
    }
  }

  /** Makes a model call. True: the turn has ended with it. */
  async #ask(ground: Ground, next: ModelStep, isRepeated: boolean): Promise<boolean> {
    const { request } = this.#held.turn.content;
    // What it says stands behind all that was told.
    void this.#held.tell(this.#held.journal.interrupt());
    let events = new StepEvents(this.#progress.outfit, wantsSeals(this.#request));
    const end = await callStep(this.#held, {
      request: { ...request, body: ground.prompt.body(this.#progress, next) },
      signal: ground.time.signal,
      step: next.number,
      callId: next.number === 1 && this.#held.claim.attempt === 1 ? request.callId : undefined,
      isRepeated,
      translation: () => {
        events = new StepEvents(this.#progress.outfit, wantsSeals(this.#request));
        return (event) => events.take(event);
      },
      noteOf: (failed) => ({ spending: this.#spend(failed) }),
    });
    if (this.#held.hold.isLost || end === undefined) return false;
    const spending = this.#spend(end);
    if (end.error !== undefined || end.terminal === undefined) {
      await this.#endings.breakOff(this.#progress, end, ground.time.isUp);
      return true;
    }
    return this.#take(next.number, saidByModel(end.terminal, events.items), spending, end);
  }

  /** What the model said is a step; if it is the last, the turn ends in the same transaction. */
  async #take(
    number: number,
    said: SaidByModel,
    spending: AgentSpending,
    end: TurnCallEnd,
  ): Promise<boolean> {
    const held = this.#held;
    const step = this.#notes.stepOf(this.#progress, number, said);
    this.#progress = { ...this.#progress, steps: [...this.#progress.steps, step] };
    const after = nextStep(this.#progress, this.#terms, this.#dependencies.clock.now());
    if (after.kind === "end") {
      await this.#endings.end(this.#progress, after.reason, end);
      return true;
    }
    void held.tell(held.journal.interrupt());
    const note = this.#notes.modelNote(end.callId, number, said, spending);
    await held.endStep(end.callId, note, (em) => end.commit(em, undefined));
    return false;
  }

  #spend({ used, terminal }: TurnCallEnd): AgentSpending {
    const spending = spendingOf(used, asObject(terminal?.["response"])?.["usage"]);
    this.#progress = {
      ...this.#progress,
      spending: addSpending(this.#progress.spending, spending),
    };
    return spending;
  }
}

type ModelStep = Extract<NextStep, { kind: "model_call" }>;

interface FoundOutfit {
  readonly outfit: AgentOutfit;
  readonly startedAt: number;
}
