import {
  asArrayOrEmpty,
  asNumber,
  asObject,
  asString,
  type JsonObject,
} from "../../dialect/json.ts";
import type {
  AgentToolsetSnapshot,
  AgentTurnSettings,
  AgentToolDefinition,
} from "../../domain/agent-turn.ts";
import type { AgentTurnProgress } from "./agent-progress.ts";
import {
  toResponsesModelReadableItems,
  replaceInvalidToolArguments,
} from "../../dialect/responses/model-items.ts";
import { buildNextStepTranscript } from "./turn-transcript.ts";
import { toFunctionToolChoice } from "./tool-choice.ts";

/** Members of the request that are not the model call's, or are written anew for it. */
const replaced: ReadonlySet<string> = new Set([
  "background",
  "conversation",
  "include",
  "input",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "model",
  "parallel_tool_calls",
  "previous_response_id",
  "store",
  "stream",
  "tool_choice",
  "tools",
]);

/** The thoughts of a step are given back with it in the next: nothing is left with the vendor. */
const encryptedReasoningInclude = "reasoning.encrypted_content";

/**
 * The bodies of the model calls of a turn. All that stands before the items of the prompt,
 * and the items of a step, are the same bytes in every later step, so that vendors find
 * what they have read in their caches.
 */
export class AgentStepRequestBuilder {
  readonly #request: JsonObject;
  readonly #toolset: AgentToolsetSnapshot;
  readonly #input: readonly JsonObject[];
  /** JSON text up to the items. */
  readonly #head: string;

  /** `request`: body of the turn's request; `input`: what the turn adds to its thread. */
  constructor(
    agent: AgentTurnSettings,
    request: JsonObject,
    outfit: AgentToolsetSnapshot,
    input: readonly JsonObject[],
  ) {
    this.#request = request;
    this.#toolset = outfit;
    this.#input = input;
    const controls = Object.entries(request).filter(([name]) => !replaced.has(name));
    const fixed = {
      ...Object.fromEntries(controls),
      model: agent.model,
      ...instructionsOf(agent, outfit, request),
      ...this.#tools(),
      stream: true,
      store: false,
      include: [...new Set([...asArrayOrEmpty(request["include"]), encryptedReasoningInclude])],
    };
    this.#head = `${JSON.stringify(fixed).slice(0, -1)},"input":[`;
  }

  /** JSON text of the body up to the end of its items: what later steps begin with. */
  items(progress: AgentTurnProgress): string {
    const said = buildNextStepTranscript(progress, this.#input);
    const items = replaceInvalidToolArguments([
      ...progress.history.flatMap(toResponsesModelReadableItems),
      ...said,
    ]);
    return this.#head + items.map((item) => JSON.stringify(item)).join(",");
  }

  /** JSON text of the body of a model call. */
  body(
    progress: AgentTurnProgress,
    { number, maxOutputTokens }: { readonly number: number; readonly maxOutputTokens: number },
  ): string {
    const tail = { ...this.#toolChoice(number), max_output_tokens: maxOutputTokens };
    return `${this.items(progress)}],${JSON.stringify(tail).slice(1)}`;
  }

  #tools(): JsonObject {
    const { tools } = this.#toolset;
    if (tools.length === 0) return {};
    const parallel = this.#request["parallel_tool_calls"];
    const told = parallel === undefined ? {} : { parallel_tool_calls: parallel };
    return { tools: tools.map(declaration), ...told };
  }

  /** A choice that forces a call holds for the first: else the turn would never end. */
  #toolChoice(step: number): JsonObject {
    const choice = toFunctionToolChoice(this.#request["tool_choice"], this.#toolset);
    if (choice === undefined) return {};
    return step === 1 || leavesModelFree(choice) ? { tool_choice: choice } : {};
  }
}

/** What its caller allows the turn to say, in tokens; undefined: it said nothing of that. */
export function callerMaxOutputTokens(request: JsonObject): number | undefined {
  return asNumber(request["max_output_tokens"]);
}

/** Whether a caller asked for the sealed thoughts of its answer. */
export function wantsEncryptedReasoning(request: JsonObject): boolean {
  return asArrayOrEmpty(request["include"]).includes(encryptedReasoningInclude);
}

function instructionsOf(
  agent: AgentTurnSettings,
  outfit: AgentToolsetSnapshot,
  request: JsonObject,
): { readonly instructions?: string } {
  const own = asString(request["instructions"]);
  const parts = [agent.instructions, ...outfit.instructions, own];
  const filled = parts.filter((part) => part !== undefined && part !== "");
  return filled.length === 0 ? {} : { instructions: filled.join("\n\n") };
}

function declaration({ name, description, parameters, source }: AgentToolDefinition): JsonObject {
  if (source.kind === "declared") return source.tool;
  const told = description === undefined ? {} : { description };
  return { type: "function", name, ...told, parameters, strict: false };
}

function leavesModelFree(choice: unknown): boolean {
  if (choice === "auto" || choice === "none") return true;
  const { type, mode } = asObject(choice) ?? {};
  return type === "allowed_tools" && mode === "auto";
}
