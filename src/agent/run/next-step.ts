import { maxAccumulatedTurnBytes } from "../../domain/durable-turn.ts";
import type { AgentLimits } from "../../platform/configuration/agents.ts";
import type { AgentTurnProgress, AgentStep } from "./agent-progress.ts";
import { needsGatewayResult, type RequestedToolCall } from "./requested-tool-call.ts";
import { countAgentStepsBytes } from "./steps-bytes.ts";

/** A limit of a turn, as `incomplete_details.reason` names it. */
export type TurnIncompleteReason =
  | "max_steps"
  | "max_tool_calls"
  | "max_seconds"
  | "max_output_tokens"
  | "max_cost_usd"
  | "max_turn_bytes";

/** What an agent's turn does next. */
export type NextAgentStep =
  | {
      readonly kind: "model_call";
      /** From 1. */
      readonly number: number;
      readonly maxOutputTokens: number;
    }
  | {
      readonly kind: "tool_calls";
      readonly requests: readonly RequestedToolCall[];
      /** Set: none of them is called any more, and the model is told so. */
      readonly limit: TurnIncompleteReason | undefined;
    }
  /** `reason`: why it ends before its model is done; undefined: that is done, or waits for the caller. */
  | { readonly kind: "end"; readonly reason: string | undefined };

/** What holds for a turn. */
export interface AgentTurnConstraints {
  readonly limits: AgentLimits;
  /** Of the turn, by its caller; undefined: it said nothing. */
  readonly maxOutputTokens: number | undefined;
}

/** Vendors take no smaller limit for an answer. */
const minOutputTokens = 16;

/** Decides by what has happened alone: the same at every process. */
export function decideNextAgentStep(
  progress: AgentTurnProgress,
  terms: AgentTurnConstraints,
  now: number,
): NextAgentStep {
  const last = progress.steps.at(-1);
  const requests = last === undefined ? [] : findPendingGatewayToolCalls(last);
  if (requests.length > 0) {
    return { kind: "tool_calls", requests, limit: toolLimit(progress, terms, now) };
  }
  if (last !== undefined && last.number > 0) {
    if (last.incompleteReason !== undefined) return { kind: "end", reason: last.incompleteReason };
    if (isDone(last)) return { kind: "end", reason: undefined };
  }
  const reason = modelLimit(progress, terms, now);
  if (reason !== undefined) return { kind: "end", reason };
  const number = (last?.number ?? 0) + 1;
  return { kind: "model_call", number, maxOutputTokens: remainingOutput(progress, terms) };
}

/** Those that are to be answered here, and are not yet. */
export function findPendingGatewayToolCalls({
  requests,
  results,
  incompleteReason: incomplete,
}: AgentStep): readonly RequestedToolCall[] {
  // Of an answer that broke off, a call may lack half its arguments.
  if (incomplete !== undefined) return [];
  return requests.filter(
    (request) => needsGatewayResult(request) && !results.has(request.callName),
  );
}

/** It asked for nothing, or waits for what only the caller can answer. */
function isDone({ requests }: AgentStep): boolean {
  return requests.length === 0 || !requests.every(needsGatewayResult);
}

function toolLimit(
  progress: AgentTurnProgress,
  { limits }: AgentTurnConstraints,
  now: number,
): TurnIncompleteReason | undefined {
  if (requestedCalls(progress) > limits.toolCalls) return "max_tool_calls";
  if (isTimeUp(progress, limits, now)) return "max_seconds";
  return isFull(progress) ? "max_turn_bytes" : undefined;
}

function modelLimit(
  progress: AgentTurnProgress,
  terms: AgentTurnConstraints,
  now: number,
): TurnIncompleteReason | undefined {
  const { limits } = terms;
  const modelCalls = progress.steps.filter(({ number }) => number > 0).length;
  const left = remainingOutput(progress, terms);
  if (requestedCalls(progress) > limits.toolCalls) return "max_tool_calls";
  if (isTimeUp(progress, limits, now)) return "max_seconds";
  if (isFull(progress)) return "max_turn_bytes";
  if (progress.usage.costUsd >= limits.costUsd) return "max_cost_usd";
  if (left < 1 || (modelCalls > 0 && left < minOutputTokens)) return "max_output_tokens";
  return modelCalls >= limits.steps ? "max_steps" : undefined;
}

function isTimeUp(
  { startedAt }: AgentTurnProgress,
  { seconds }: AgentLimits,
  now: number,
): boolean {
  return now - startedAt >= seconds * 1000;
}

function isFull(progress: AgentTurnProgress): boolean {
  return countAgentStepsBytes(progress) >= maxAccumulatedTurnBytes;
}

function remainingOutput(
  { usage: spending }: AgentTurnProgress,
  { limits, maxOutputTokens }: AgentTurnConstraints,
): number {
  const most = Math.min(limits.outputTokens, maxOutputTokens ?? Number.POSITIVE_INFINITY);
  return most - spending.outputTokens;
}

function requestedCalls({ steps }: AgentTurnProgress): number {
  return steps.reduce((sum, { requests }) => sum + requests.filter(needsGatewayResult).length, 0);
}
