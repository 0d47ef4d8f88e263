import type { JsonObject } from "../../dialect/json.ts";
import type { AgentTurnProgress, AgentStep } from "./agent-progress.ts";
import {
  toResponsesModelReadableItems,
  replaceInvalidToolArguments,
} from "../../dialect/responses/model-items.ts";
import { createAgentToolErrorResult } from "../tool-error.ts";
import { buildFunctionCallOutputItem } from "./tool-output.ts";
import { needsGatewayResult, type RequestedToolCall } from "./requested-tool-call.ts";

/** A call that was asked for, and that nothing became of. */
const unmade = createAgentToolErrorResult(
  "The turn ended before this call was answered; if it was being made, its outcome is unknown.",
);

/** What a model reads of a turn in its next steps: the turn's input, and what was said and answered since. */
export function buildNextStepTranscript(
  { steps }: AgentTurnProgress,
  input: readonly JsonObject[],
): readonly JsonObject[] {
  const [opening = [], ...said] = steps.map((step) => stepItems(step, toolOutputsOf));
  // What was approved is answered before anything new is said.
  return [...opening, ...input.flatMap(toResponsesModelReadableItems), ...said.flat()];
}

/**
 * The same when the turn has ended, for later turns: every call of a tool that is not the
 * caller's has an output, and what waits for an approval is named at the end.
 * `broken`: what was told of a model call that broke off. `toApprovalRequest` returns the item
 * that the caller was sent.
 */
export function buildEndedTurnTranscript(
  progress: AgentTurnProgress,
  input: readonly JsonObject[],
  broken: readonly JsonObject[],
  toApprovalRequest: (request: RequestedToolCall) => JsonObject,
): readonly JsonObject[] {
  const [opening = [], ...said] = progress.steps.map((step) => stepItems(step, allAnswersOf));
  const waiting = progress.steps.flatMap(({ requests }) =>
    requests.filter(({ disposition: fate }) => fate === "approval"),
  );
  const asked = waiting.map((request) => ({
    ...toApprovalRequest(request),
    call_id: request.callId,
  }));
  const halfSaid = broken.filter(({ type }) => type === "message");
  const items = [
    ...opening,
    ...input.flatMap(toResponsesModelReadableItems),
    ...said.flat(),
    ...halfSaid,
    ...asked,
  ];
  return replaceInvalidToolArguments(items);
}

function stepItems(
  step: AgentStep,
  answers: (step: AgentStep) => readonly JsonObject[],
): readonly JsonObject[] {
  // Of an answer that broke off, a call may lack half its arguments, and a thought what it led to.
  if (step.incompleteReason !== undefined)
    return step.output.filter(({ type }) => type === "message");
  return [...step.output, ...answers(step)];
}

function toolOutputsOf({ requests, results }: AgentStep): readonly JsonObject[] {
  return requests.flatMap((request) => {
    const result = results.get(request.callName);
    return result === undefined ? [] : [buildFunctionCallOutputItem(request, result)];
  });
}

function allAnswersOf({ requests, results }: AgentStep): readonly JsonObject[] {
  return requests
    .filter(needsGatewayResult)
    .map((request) =>
      buildFunctionCallOutputItem(request, results.get(request.callName) ?? unmade),
    );
}
