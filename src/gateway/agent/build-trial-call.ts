import { asArrayOrEmpty, asNumber, asObject, type JsonObject } from "../../dialect/json.ts";
import {
  toResponsesModelReadableItems,
  replaceInvalidToolArguments,
} from "../../dialect/responses/model-items.ts";
import type { AgentLimits, AgentEngineConfiguration } from "../../platform/configuration/agents.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { ResolvedCall } from "../routing/resolve-call.ts";
import type { NormalizedAgentRequest } from "./agent-request.ts";
import type { AgentModelDryRunCall } from "./choose-model.ts";

/** What the first call of a turn is made of. */
interface FirstCall {
  readonly resolved: ResolvedCall;
  readonly request: NormalizedAgentRequest;
  readonly conversation: readonly JsonObject[];
  readonly response: CallerResponse;
}

/** The first call of the turn, as near as it is known before the agent's tools are. */
export function buildAgentDryRunCall(
  { resolved, request, conversation, response: answer }: FirstCall,
  { instructions, limits }: AgentEngineConfiguration,
): AgentModelDryRunCall {
  const texts = [instructions, request.instructions].filter((text) => text !== undefined);
  const cap = turnMaxOutputTokens(request.settings, limits);
  const body = {
    ...withoutChoice(request.settings),
    ...(texts.length > 0 && { instructions: texts.join("\n\n") }),
    input: replaceInvalidToolArguments(conversation.flatMap(toResponsesModelReadableItems)),
    max_output_tokens: cap,
    stream: true,
    store: false,
  };
  return { call: resolved.call, response: answer, body };
}

/** What can be chosen is known when the servers have told what they have. */
function withoutChoice(settings: JsonObject): JsonObject {
  const { tool_choice: choice, ...others } = settings;
  const isServers = asObject(choice)?.["type"] === "mcp";
  return isServers || asArrayOrEmpty(settings["tools"]).length === 0 ? others : settings;
}

/** What a turn may say, in tokens: its caller can ask for less. */
export function turnMaxOutputTokens(settings: JsonObject, { outputTokens }: AgentLimits): number {
  return Math.min(asNumber(settings["max_output_tokens"]) ?? outputTokens, outputTokens);
}
