import { compactionDialectOperation } from "../../dialect/responses/compact-surface.ts";
import { invalidRequestError, type ApiError } from "../../platform/errors.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { ResolvedCall } from "../routing/resolve-call.ts";

/**
 * Whether the agent answers a call: its model is an agent's, or its mode is `agent`. Throws
 * 400 with the header, or `model`, for what contradicts itself. What is no conversation
 * heeds the header alone, for the key's own mode is about conversations.
 */
export function isCallToAgent({ call, model }: Pick<ResolvedCall, "call" | "model">): boolean {
  // A model call of a turn is the agent's own, or was none of it when it was asked for.
  if (call.turnId !== undefined) return false;
  const isAgentModel = isAgent(model);
  const isAgents = isAgentModel || modeOf(call) === "agent";
  if (isAgentModel) rejectModelMode(call);
  if (isAgents && !isConversation(call)) throw conversationRequiredError(isAgentModel);
  if (!isAgents && call.controls.engine !== undefined) {
    throw invalidRequestError(
      "x-svc-engine",
      "`x-svc-engine` is for calls that reach the agent; leave it out.",
    );
  }
  return isAgents;
}

function isAgent(model: ResolvedCall["model"]): boolean {
  return !("targets" in model) && model.reference.kind === "agent";
}

function modeOf(call: ModelCall): "model" | "agent" {
  const { controls, key } = call;
  return controls.mode ?? (isConversation(call) ? key.mode : "model");
}

/** It is answered, and neither embedded nor compacted. */
function isConversation({ surface }: ModelCall): boolean {
  return surface.isConversation && surface !== compactionDialectOperation;
}

function rejectModelMode({ controls }: ModelCall): void {
  if (controls.mode !== "model") return;
  throw invalidRequestError(
    "x-svc-mode",
    "An agent model cannot be called with `x-svc-mode: model`; leave the header out.",
  );
}

function conversationRequiredError(isAgentModel: boolean): ApiError {
  return isAgentModel
    ? invalidRequestError("model", "An agent answers conversations only: name an ordinary model.")
    : invalidRequestError(
        "x-svc-mode",
        "An agent answers conversations only: leave the header out, or use `model`.",
      );
}
