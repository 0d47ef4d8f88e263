import type {
  AgentToolRuntime,
  AgentTurnSettings,
  AgentToolDefinition,
  AgentToolResult,
} from "../../domain/agent-turn.ts";
import { addResultsToLastStep, type AgentTurnProgress } from "../../agent/run/agent-progress.ts";
import type { NextAgentStep } from "../../agent/run/next-step.ts";
import { buildMcpCallStart, buildMcpCallEnd } from "../../agent/run/mcp-call-items.ts";
import type { RequestedToolCall } from "../../agent/run/requested-tool-call.ts";
import { createAgentToolErrorResult } from "../../agent/tool-error.ts";
import { estimateJsonValueBytes } from "../../platform/json-bytes.ts";
import type { TurnMetrics } from "../../platform/telemetry/turn-metrics.ts";
import type { LeasedTurn } from "../leased-turn.ts";
import type { AgentStepLog } from "./agent-step-log.ts";
import type { TurnDeadline } from "./turn-deadline.ts";

export interface ToolCallRunnerDependencies {
  readonly tools: AgentToolRuntime;
  readonly counts: Pick<TurnMetrics, "countStep">;
  readonly turn: LeasedTurn;
  readonly stepLog: AgentStepLog;
  readonly time: TurnDeadline;
  /** Names of calls that another process was about to make. */
  readonly started: ReadonlySet<string>;
}

/** A call that is not made, and the result that the model gets. */
interface RejectedToolCall {
  readonly request: RequestedToolCall;
  readonly result: AgentToolResult;
}

type ToolStep = Extract<NextAgentStep, { kind: "tool_calls" }>;

/** Calls of one step that are made at a time. */
const maxParallelCalls = 8;

/**
 * Calls the tools that a model asked for. Each call is noted before it is made and its
 * result when it has come: whoever takes the turn over asks nothing again that was
 * answered, and what must not be called twice is not.
 */
export class ToolCallRunner {
  readonly #dependencies: ToolCallRunnerDependencies;
  readonly #agent: Pick<AgentTurnSettings, "receiver" | "hosted">;

  constructor(
    dependencies: ToolCallRunnerDependencies,
    agent: Pick<AgentTurnSettings, "receiver" | "hosted">,
  ) {
    this.#dependencies = dependencies;
    this.#agent = agent;
  }

  /** The progress with the results; without some where the turn goes on no more. */
  async make(
    progress: AgentTurnProgress,
    { requests, limit }: ToolStep,
  ): Promise<AgentTurnProgress> {
    const { turn: held } = this.#dependencies;
    for (const request of requests) await held.push(this.#beginning(request));
    const waiting: RequestedToolCall[] = [];
    const rejected: RejectedToolCall[] = [];
    for (const request of requests) {
      const result = this.#knownResult(request, limit);
      if (result === undefined) waiting.push(request);
      else rejected.push({ request, result });
    }
    const results = new Map(await this.#reject(rejected));
    const work = async (): Promise<void> => {
      for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
        const result = await this.#resolve(request);
        if (result !== undefined) results.set(request.callName, result);
      }
    };
    // A fault of ours in one of them stops the others before it is told.
    const workers = Array.from({ length: maxParallelCalls }, async () => {
      try {
        await work();
      } catch (error) {
        held.lease.stop();
        throw error;
      }
    });
    const outcomes = await Promise.allSettled(workers);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return addResultsToLastStep(progress, results);
  }

  /**
   * Publishes and records rejected calls in one transaction: a model may ask for hundreds of
   * tools that do not exist. Returns the results by call name, none after the lease was lost.
   */
  async #reject(
    rejected: readonly RejectedToolCall[],
  ): Promise<readonly (readonly [string, AgentToolResult])[]> {
    const [first] = rejected;
    const { turn: held, stepLog: notes } = this.#dependencies;
    if (first === undefined || held.lease.hasLostLease) return [];
    const results = rejected.map(({ request, result }) => [request.callName, result] as const);
    held.holdOrGiveWay(results.reduce((sum, [, one]) => sum + estimateJsonValueBytes(one), 0));
    for (const { request, result } of rejected) void held.push(this.#ending(request, result));
    const name = `rejected ${first.request.callName}`;
    await held.endStep(name, notes.rejectedCallsRecord(name, results), nothingElse);
    return results;
  }

  /** Publishes and records the result of a call. Returns undefined after the lease was lost. */
  async #resolve(request: RequestedToolCall): Promise<AgentToolResult | undefined> {
    const { turn: held, stepLog: notes } = this.#dependencies;
    const result = await this.#call(request);
    if (result === undefined || held.lease.hasLostLease) return undefined;
    held.holdOrGiveWay(estimateJsonValueBytes(result));
    void held.push(this.#ending(request, result));
    await held.endStep(
      request.callName,
      notes.toolCallRecord(request.callName, result),
      nothingElse,
    );
    return result;
  }

  /** What the model is told without a call; undefined: the call is to be made. */
  #knownResult(
    { rejection: refusal, callName, tool }: RequestedToolCall,
    limit: ToolStep["limit"],
  ): AgentToolResult | undefined {
    if (refusal !== undefined) return createAgentToolErrorResult(refusal);
    if (this.#dependencies.started.has(callName) && !canRetry(tool))
      return createAgentToolErrorResult(unknownOutcome);
    if (limit === undefined) return undefined;
    return createAgentToolErrorResult(
      `The call was not made: the turn has reached its limit \`${limit}\`.`,
    );
  }

  async #call(request: RequestedToolCall): Promise<AgentToolResult | undefined> {
    const { turn: held, tools, counts, time } = this.#dependencies;
    const { tool, callName, arguments: text } = request;
    if (tool === undefined) throw new Error(`${callName} has no tool`);
    if (!held.isActive) return undefined;
    await held.recordStep(`${callName} begins`, { tool: callName });
    if (!held.isActive) return undefined;
    counts.countStep("tool_call");
    const { signal } = time;
    const { receiver, hosted = [] } = this.#agent;
    const { hold } = held;
    const call = { receiver, hosted, tool, arguments: text, callName, signal, hold };
    try {
      return await tools.call(call);
    } catch (error) {
      if (!signal.aborted) throw error;
      return held.isActive && time.hasPassed
        ? createAgentToolErrorResult(timeLimitReached)
        : undefined;
    }
  }

  #beginning(request: RequestedToolCall): readonly string[] {
    const { journal } = this.#dependencies.turn;
    const told = buildMcpCallStart(request);
    if (told === undefined) return [];
    const begun = journal.begin(told.startItem);
    // Announced by a process that died, all of it was told: it was one batch.
    if (begun.length === 0) return [];
    const { id } = told.startItem;
    return [...begun, ...told.events.flatMap((event) => journal.about(id, event))];
  }

  #ending(request: RequestedToolCall, result: AgentToolResult): readonly string[] {
    const { journal } = this.#dependencies.turn;
    const told = buildMcpCallEnd(request, result);
    if (told === undefined) return [];
    const { item, event } = told;
    const begun = journal.begin(item);
    const events = event === undefined ? [] : journal.about(item["id"], event);
    return [...begun, ...events, ...journal.finish(item)];
  }
}

const unknownOutcome =
  "The server was interrupted while this call was being made. Its outcome is unknown, and it was not made again, because the tool does not say that it may be.";

const timeLimitReached =
  "The call was broken off: the turn has reached its limit `max_seconds`. Its outcome is unknown.";

async function nothingElse(): Promise<void> {}

function canRetry(tool: AgentToolDefinition | undefined): boolean {
  return tool?.source.kind === "own" || (tool?.source.kind === "mcp" && tool.source.mayRepeat);
}
