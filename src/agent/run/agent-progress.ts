import type { JsonObject } from "../../dialect/json.ts";
import type { AgentToolsetSnapshot, AgentToolResult } from "../../domain/agent-turn.ts";
import type { RequestedToolCall } from "./requested-tool-call.ts";

/** What a model said in one call. */
export interface ModelStepOutput {
  /** Its output, as it is to read it again. */
  readonly output: readonly JsonObject[];
  /** Why it stopped before it was done; undefined: it was done. */
  readonly incompleteReason: string | undefined;
  /** Unix seconds. */
  readonly completedAt: number | undefined;
}

/** A step of a turn: what the model said, and what the tools that it asked for answered. */
export interface AgentStep extends ModelStepOutput {
  /** 0: no model call, but the calls that the caller approved. */
  readonly number: number;
  readonly requests: readonly RequestedToolCall[];
  /** By `callName`. */
  readonly results: ReadonlyMap<string, AgentToolResult>;
}

/** What the model calls of a turn used, all together. */
export interface AgentTurnUsage {
  readonly outputTokens: number;
  readonly costUsd: number;
  /** As a response tells it; undefined: nothing was used. */
  readonly usage: JsonObject | undefined;
}

/** How far an agent's turn has come. */
export interface AgentTurnProgress {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly toolset: AgentToolsetSnapshot;
  readonly history: readonly JsonObject[];
  /** Oldest first, step 0 before all others. */
  readonly steps: readonly AgentStep[];
  readonly usage: AgentTurnUsage;
}

/** The progress with results of calls of its last step, by `callName`. */
export function addResultsToLastStep(
  progress: AgentTurnProgress,
  results: AgentStep["results"],
): AgentTurnProgress {
  const last = progress.steps.at(-1);
  if (last === undefined) return progress;
  const answered = { ...last, results: new Map([...last.results, ...results]) };
  return { ...progress, steps: [...progress.steps.slice(0, -1), answered] };
}
