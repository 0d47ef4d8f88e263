import type { JsonObject } from "../../dialect/json.ts";
import type { AgentOutfit, ToolResult } from "../../kernel/agent-turn.ts";
import type { ToolRequest } from "./tool-request.ts";

/** What a model said in one call. */
export interface SaidByModel {
  /** Its output, as it is to read it again. */
  readonly output: readonly JsonObject[];
  /** Why it stopped before it was done; undefined: it was done. */
  readonly incomplete: string | undefined;
  /** Unix seconds. */
  readonly completedAt: number | undefined;
}

/** A step of a turn: what the model said, and what the tools that it asked for answered. */
export interface AgentStep extends SaidByModel {
  /** 0: no model call, but the calls that the caller approved. */
  readonly number: number;
  readonly requests: readonly ToolRequest[];
  /** By `callName`. */
  readonly results: ReadonlyMap<string, ToolResult>;
}

/** What the model calls of a turn used, all together. */
export interface AgentSpending {
  readonly outputTokens: number;
  readonly costUsd: number;
  /** As a response tells it; undefined: nothing was used. */
  readonly usage: JsonObject | undefined;
}

/** How far an agent's turn has come. */
export interface AgentProgress {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly outfit: AgentOutfit;
  readonly history: readonly JsonObject[];
  /** Oldest first, step 0 before all others. */
  readonly steps: readonly AgentStep[];
  readonly spending: AgentSpending;
}

/** The progress with the result of a call of its last step. */
export function withResult(
  progress: AgentProgress,
  callName: string,
  result: ToolResult,
): AgentProgress {
  const steps = progress.steps.map((step) =>
    step.requests.some((request) => request.callName === callName)
      ? { ...step, results: new Map([...step.results, [callName, result]]) }
      : step,
  );
  return { ...progress, steps };
}
