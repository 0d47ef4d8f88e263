import { asObject, asJsonObjectElements, type JsonObject } from "../../dialect/json.ts";
import { parseJsonObjectOrEmpty } from "../../dialect/parse-object.ts";
import type {
  AgentTurnProgress,
  AgentTurnUsage,
  ModelStepOutput,
} from "../../agent/run/agent-progress.ts";
import type { ApprovalRequestSigner } from "../../agent/run/approval-id.ts";
import { AnswerCallIds, collectConversationCallIds } from "../../agent/run/answer-call-ids.ts";
import { resolvePendingApprovals } from "../../agent/run/approvals.ts";
import { buildMcpListToolsItems } from "../../agent/run/mcp-list-tools-items.ts";
import { emptyModelStepOutput, readModelStepOutput } from "../../agent/run/model-step-output.ts";
import {
  decideNextAgentStep,
  type NextAgentStep,
  type AgentTurnConstraints,
} from "../../agent/run/next-step.ts";
import {
  addAgentTurnUsage,
  zeroAgentTurnUsage,
  modelCallToAgentTurnUsage,
} from "../../agent/run/agent-usage.ts";
import { CallerVisibleStepEventFilter } from "../../agent/run/step-events.ts";
import { countAgentStepsBytes } from "../../agent/run/steps-bytes.ts";
import {
  callerMaxOutputTokens,
  AgentStepRequestBuilder,
  wantsEncryptedReasoning,
} from "../../agent/run/step-request-builder.ts";
import type {
  AgentHistoryReader,
  AgentToolsetSnapshot,
  AgentToolRuntime,
  AgentTurnSettings,
} from "../../domain/agent-turn.ts";
import type { TurnModelCallOutcome } from "../../domain/durable-turn.ts";
import { estimateJsonValueBytes } from "../../platform/json-bytes.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TurnMetrics } from "../../platform/telemetry/turn-metrics.ts";
import type { LeasedTurn } from "../leased-turn.ts";
import type { RestoredTurn, TurnRestoreHooks } from "../restore-turn.ts";
import {
  hasTooManyInterruptedCalls,
  listInterruptedModelCalls,
  tooManyInterruptedCallsFailure,
  type TurnStepRecord,
} from "../step-record.ts";
import { runTurnModelStep } from "../step-model-call.ts";
import type { TurnStore } from "../turn-store.ts";
import { retryWhileDatabaseDown } from "../turn-writer.ts";
import { AgentTurnFinisher } from "./agent-turn-finisher.ts";
import { AgentStepLog, listStartedToolCallNames } from "./agent-step-log.ts";
import { buildMcpListToolsFrames } from "./listing-frames.ts";
import { ToolCallRunner } from "./tool-call-runner.ts";
import { TurnDeadline } from "./turn-deadline.ts";

/** What turns of agents are run with. */
export interface AgentTurnRunDependencies {
  readonly tools: AgentToolRuntime;
  readonly history: AgentHistoryReader;
  readonly approvals: ApprovalRequestSigner;
  readonly clock: Clock;
  readonly store: Pick<TurnStore, "sealStepRecord" | "openStepRecord">;
  readonly counts: Pick<TurnMetrics, "countStep">;
}

/** What is found before the first step, and the same in all. */
interface RunContext {
  readonly prompt: AgentStepRequestBuilder;
  readonly tools: ToolCallRunner;
  readonly time: TurnDeadline;
}

/**
 * The turn of an agent: model calls, and calls of the tools that they ask for, until the
 * model is done, a limit is reached or the caller is to answer. What each step came to is
 * noted with its last events, so that whoever takes the turn over goes on behind it.
 */
export class AgentTurnRun {
  readonly #dependencies: AgentTurnRunDependencies;
  readonly #turn: LeasedTurn;
  readonly #agent: AgentTurnSettings;
  readonly #stepLog: AgentStepLog;
  readonly #endings: AgentTurnFinisher;
  readonly #request: JsonObject;
  readonly #terms: AgentTurnConstraints;
  #progress: AgentTurnProgress;

  constructor(dependencies: AgentTurnRunDependencies, held: LeasedTurn, agent: AgentTurnSettings) {
    this.#dependencies = dependencies;
    this.#turn = held;
    this.#agent = agent;
    this.#stepLog = new AgentStepLog(dependencies.store, held.turn.id, agent);
    this.#endings = new AgentTurnFinisher(held, dependencies.clock, dependencies.approvals);
    this.#request = parseJsonObjectOrEmpty(held.turn.content.request.body);
    this.#terms = { limits: agent.limits, maxOutputTokens: callerMaxOutputTokens(this.#request) };
    this.#progress = {
      startedAt: dependencies.clock.now(),
      toolset: { instructions: [], tools: [] },
      history: [],
      steps: [],
      usage: zeroAgentTurnUsage,
    };
  }

  /** Resolves when the turn has ended, or is another's. */
  async run(restored: RestoredTurn, loading: TurnRestoreHooks): Promise<void> {
    const settled = await this.#settle(restored);
    const ground = await this.#prepare(settled, loading);
    if (ground === undefined) return this.#stop();
    try {
      await this.#goOn(ground, settled);
    } finally {
      ground.time.end();
      this.#dependencies.tools.endTurn(this.#turn.turn.id);
    }
  }

  /** The notes, with that of a model call of which nobody heard the end. */
  async #settle({ stepRecords: notes, lost }: RestoredTurn): Promise<readonly TurnStepRecord[]> {
    if (lost === undefined) return notes;
    let spending = zeroAgentTurnUsage;
    await this.#turn.settleOrphaned(lost, (used) => {
      spending = modelCallToAgentTurnUsage(used, undefined);
      return { spending };
    });
    return [...notes, { ended: lost.intent.callId, spending, isLost: true }];
  }

  /** Undefined: the turn goes on no more. */
  async #prepare(
    notes: readonly TurnStepRecord[],
    { onLoaded, hold }: TurnRestoreHooks,
  ): Promise<RunContext | undefined> {
    const { tools, clock, counts, history } = this.#dependencies;
    const held = this.#turn;
    const { id, content } = held.turn;
    const { threadId } = this.#agent;
    const before = await retryWhileDatabaseDown(
      () => history.historyBefore({ id, threadId }, hold),
      held.lease,
    );
    // Servers of tools may be slow: what waits for a place does not wait for them.
    onLoaded();
    const kept = this.#stepLog.toolsetIn(notes) ?? (await this.#loadToolset());
    if (kept === undefined || held.lease.hasLostLease) return undefined;
    held.holdOrGiveWay(estimateJsonValueBytes(kept.toolset));
    this.#progress = this.#stepLog.progressIn(notes, this.#begun(kept, before));
    const listings = buildMcpListToolsItems(id, kept.toolset, before);
    this.#endings.listings = listings.map(({ item }) => item);
    await held.push(buildMcpListToolsFrames(held.journal, listings));
    const leftMs = kept.startedAt + this.#agent.limits.seconds * 1000 - clock.now();
    const time = new TurnDeadline(leftMs, held.lease.signal);
    const begun = listStartedToolCallNames(notes);
    const parts = { tools, counts, turn: held, stepLog: this.#stepLog, time, started: begun };
    return {
      prompt: new AgentStepRequestBuilder(this.#agent, this.#request, kept.toolset, content.input),
      tools: new ToolCallRunner(parts, this.#agent),
      time,
    };
  }

  /** Found once, and noted for all steps. Undefined: the turn was stopped meanwhile. */
  async #loadToolset(): Promise<LoadedToolset | undefined> {
    const { tools, clock } = this.#dependencies;
    const { lease: hold } = this.#turn;
    const startedAt = clock.now();
    const declared = asJsonObjectElements(this.#request["tools"]);
    try {
      const { receiver, hosted } = this.#agent;
      const ask = () =>
        tools.buildToolset(receiver, declared, hold.signal, hosted, this.#turn.hold);
      const outfit = await retryWhileDatabaseDown(ask, hold);
      await this.#turn.recordStep(...this.#stepLog.toolsetRecord(outfit, startedAt));
      return { toolset: outfit, startedAt };
    } catch (error) {
      if (hold.signal.aborted) return undefined;
      // Items of the account may be larger than what it can hold now.
      this.#turn.giveWayTo(error);
      return undefined;
    }
  }

  /** The progress before the first model call: calls that the caller was asked for come first. */
  #begun(
    { toolset: outfit, startedAt }: LoadedToolset,
    history: readonly JsonObject[],
  ): AgentTurnProgress {
    const { id, content } = this.#turn.turn;
    const place = { turnId: id, step: 0, toolset: outfit, canApprove: this.#agent.canApprove };
    const requests = resolvePendingApprovals(history, content.input, place);
    const opening = { ...emptyModelStepOutput, number: 0, requests, results: new Map() };
    return { startedAt, toolset: outfit, history, steps: [opening], usage: zeroAgentTurnUsage };
  }

  /** Ends the turn, which was cancelled or has to give way. */
  #stop(): Promise<void> {
    const { isCancelled, hasLostLease, failure } = this.#turn.lease;
    return isCancelled || hasLostLease || failure === undefined
      ? this.#endings.stop(this.#progress)
      : this.#endings.fail(this.#progress, failure);
  }

  async #goOn(ground: RunContext, notes: readonly TurnStepRecord[]): Promise<void> {
    const { clock } = this.#dependencies;
    const { lease: hold } = this.#turn;
    while (!hold.hasLostLease) {
      if (hold.isCancelled || hold.failure !== undefined) return this.#stop();
      const next = decideNextAgentStep(this.#progress, this.#terms, clock.now());
      if (next.kind === "end") return this.#endings.end(this.#progress, next.reason);
      if (next.kind === "tool_calls") {
        this.#progress = await ground.tools.make(this.#progress, next);
      } else {
        if (hasTooManyInterruptedCalls(notes, next.number))
          return this.#endings.fail(this.#progress, tooManyInterruptedCallsFailure);
        const isRepeated = listInterruptedModelCalls(notes, next.number).length > 0;
        if (await this.#callModel(ground, next, isRepeated)) return;
      }
    }
  }

  /** Makes a model call. True: the turn has ended with it. */
  async #callModel(ground: RunContext, next: ModelStep, isRepeated: boolean): Promise<boolean> {
    const { request } = this.#turn.turn.content;
    // What it says stands behind all that was told.
    await this.#turn.interrupt();
    let events = this.#stepEvents(next);
    const end = await runTurnModelStep(this.#turn, {
      request: { ...request, body: ground.prompt.body(this.#progress, next) },
      signal: ground.time.signal,
      step: next.number,
      gathered: countAgentStepsBytes(this.#progress),
      callId: next.number === 1 && this.#turn.claim.attempt === 1 ? request.callId : undefined,
      isRepeated,
      translation: () => {
        events = this.#stepEvents(next);
        return (event) => events.take(event);
      },
      recordOf: (failed) => ({ spending: this.#recordUsage(failed) }),
    });
    if (this.#turn.lease.hasLostLease || end === undefined) return false;
    const spending = this.#recordUsage(end);
    if (end.error !== undefined || end.terminal === undefined) {
      await this.#endings.failInterrupted(this.#progress, end, ground.time.hasPassed);
      return true;
    }
    const said = readModelStepOutput(end.terminal, (output) => events.answerItems(output));
    return this.#take(next.number, said, spending, end);
  }

  #stepEvents({ number }: ModelStep): CallerVisibleStepEventFilter {
    const { id, content } = this.#turn.turn;
    const readUsedIds = () => collectConversationCallIds(this.#progress, content.input);
    return new CallerVisibleStepEventFilter(
      this.#progress.toolset,
      wantsEncryptedReasoning(this.#request),
      new AnswerCallIds(readUsedIds, `${id}_${number}`),
    );
  }

  /** What the model said is a step; if it is the last, the turn ends in the same transaction. */
  async #take(
    number: number,
    said: ModelStepOutput,
    spending: AgentTurnUsage,
    end: TurnModelCallOutcome,
  ): Promise<boolean> {
    const held = this.#turn;
    const step = this.#stepLog.stepOf(this.#progress, number, said);
    this.#progress = { ...this.#progress, steps: [...this.#progress.steps, step] };
    const after = decideNextAgentStep(this.#progress, this.#terms, this.#dependencies.clock.now());
    if (after.kind === "end") {
      await this.#endings.end(this.#progress, after.reason, end);
      return true;
    }
    await held.interrupt();
    const note = this.#stepLog.modelCallRecord(end.callId, number, said, spending);
    await held.endStep(end.callId, note, (em) => end.commit(em, undefined));
    return false;
  }

  #recordUsage({ used, terminal }: TurnModelCallOutcome): AgentTurnUsage {
    const spending = modelCallToAgentTurnUsage(used, asObject(terminal?.["response"])?.["usage"]);
    this.#progress = {
      ...this.#progress,
      usage: addAgentTurnUsage(this.#progress.usage, spending),
    };
    return spending;
  }
}

type ModelStep = Extract<NextAgentStep, { kind: "model_call" }>;

interface LoadedToolset {
  readonly toolset: AgentToolsetSnapshot;
  readonly startedAt: number;
}
