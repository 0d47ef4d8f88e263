import type { AgentTools, AgentTurn, OfferedTool, ToolResult } from "../../kernel/agent-turn.ts";
import { withResult, type AgentProgress } from "../../agent/run/agent-progress.ts";
import type { NextStep } from "../../agent/run/next-step.ts";
import { begunCall, endedCall } from "../../agent/run/tool-items.ts";
import type { ToolRequest } from "../../agent/run/tool-request.ts";
import { toolError } from "../../agent/tool-error.ts";
import type { TurnMetrics } from "../../platform/telemetry/turn-metrics.ts";
import type { HeldTurn } from "../held-turn.ts";
import type { AgentNotes } from "./agent-notes.ts";
import type { TurnTime } from "./turn-time.ts";

export interface ToolCallDependencies {
  readonly tools: AgentTools;
  readonly counts: Pick<TurnMetrics, "stepped">;
  readonly held: HeldTurn;
  readonly notes: AgentNotes;
  readonly time: TurnTime;
  /** Names of calls that another process was about to make. */
  readonly begun: ReadonlySet<string>;
}

type ToolStep = Extract<NextStep, { kind: "tool_calls" }>;

/** Calls of one step that are made at a time. */
const callsAtATime = 8;

/**
 * Calls the tools that a model asked for. Each call is noted before it is made and its
 * result when it has come: whoever takes the turn over asks nothing again that was
 * answered, and what must not be called twice is not.
 */
export class ToolCalls {
  readonly #dependencies: ToolCallDependencies;
  readonly #agent: Pick<AgentTurn, "receiver" | "hosted">;

  constructor(dependencies: ToolCallDependencies, agent: Pick<AgentTurn, "receiver" | "hosted">) {
    this.#dependencies = dependencies;
    this.#agent = agent;
  }

  /** The progress with the results; without some where the turn goes on no more. */
  async make(progress: AgentProgress, { requests, limit }: ToolStep): Promise<AgentProgress> {
    const { held } = this.#dependencies;
    for (const request of requests) await held.tell(this.#beginning(request));
    const waiting = [...requests];
    let now = progress;
    const work = async (): Promise<void> => {
      for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
        const result = await this.#answer(request, limit);
        if (result !== undefined) now = withResult(now, request.callName, result);
      }
    };
    // A fault of ours in one of them stops the others before it is told.
    const workers = Array.from({ length: callsAtATime }, async () => {
      try {
        await work();
      } catch (error) {
        held.hold.stop();
        throw error;
      }
    });
    const outcomes = await Promise.allSettled(workers);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return now;
  }

  /** Tells and notes what came of a call; undefined: the turn goes on no more. */
  async #answer(request: ToolRequest, limit: ToolStep["limit"]): Promise<ToolResult | undefined> {
    const { held, notes } = this.#dependencies;
    const result = this.#knownResult(request, limit) ?? (await this.#call(request));
    if (result === undefined || held.hold.isLost) return undefined;
    void held.tell(this.#ending(request, result));
    await held.endStep(request.callName, notes.toolNote(request.callName, result), nothingElse);
    return result;
  }

  /** What the model is told without a call; undefined: the call is to be made. */
  #knownResult(
    { refusal, callName, tool }: ToolRequest,
    limit: ToolStep["limit"],
  ): ToolResult | undefined {
    if (refusal !== undefined) return toolError(refusal);
    if (this.#dependencies.begun.has(callName) && !mayRepeat(tool))
      return toolError(unknownOutcome);
    if (limit === undefined) return undefined;
    return toolError(`The call was not made: the turn has reached its limit \`${limit}\`.`);
  }

  async #call(request: ToolRequest): Promise<ToolResult | undefined> {
    const { held, tools, counts, time } = this.#dependencies;
    const { tool, callName, arguments: text } = request;
    if (tool === undefined) throw new Error(`${callName} has no tool`);
    if (!held.goesOn) return undefined;
    await held.note(`${callName} begins`, { tool: callName });
    if (!held.goesOn) return undefined;
    counts.stepped("tool_call");
    const { signal } = time;
    const { receiver, hosted = [] } = this.#agent;
    const call = { receiver, hosted, tool, arguments: text, callName, signal };
    try {
      return await tools.call(call);
    } catch (error) {
      if (!signal.aborted) throw error;
      return held.goesOn && time.isUp ? toolError(timeIsUp) : undefined;
    }
  }

  #beginning(request: ToolRequest): readonly string[] {
    const { journal } = this.#dependencies.held;
    const told = begunCall(request);
    if (told === undefined) return [];
    const begun = journal.begin(told.begun);
    // Announced by a process that died, all of it was told: it was one batch.
    if (begun.length === 0) return [];
    const { id } = told.begun;
    return [...begun, ...told.events.flatMap((event) => journal.about(id, event))];
  }

  #ending(request: ToolRequest, result: ToolResult): readonly string[] {
    const { journal } = this.#dependencies.held;
    const told = endedCall(request, result);
    if (told === undefined) return [];
    const { item, event } = told;
    const begun = journal.begin(item);
    const events = event === undefined ? [] : journal.about(item["id"], event);
    return [...begun, ...events, ...journal.finish(item)];
  }
}

const unknownOutcome =
  "The server was interrupted while this call was being made. Its outcome is unknown, and it was not made again, because the tool does not say that it may be.";

const timeIsUp =
  "The call was broken off: the turn has reached its limit `max_seconds`. Its outcome is unknown.";

async function nothingElse(): Promise<void> {}

function mayRepeat(tool: OfferedTool | undefined): boolean {
  return tool?.source.kind === "own" || (tool?.source.kind === "mcp" && tool.source.mayRepeat);
}
