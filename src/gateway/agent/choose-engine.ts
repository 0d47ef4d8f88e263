import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { AgentEngine } from "../../domain/agent-turn.ts";

/** What a call tells of which engine it wants. */
export interface AgentEngineSelectionInput {
  /** The agent model that it names; undefined: it names an ordinary one. */
  readonly agent: string | undefined;
  /** `x-svc-engine: omni`. */
  readonly isPinned: boolean;
  readonly settings: JsonObject;
  /** What it adds to its thread. */
  readonly added: readonly JsonObject[];
  /** What the thread's last turn ran on; undefined: there was none. */
  readonly lastEngine: AgentEngine | undefined;
}

/** Engines in the order in which they are tried. `hasTools`: somebody's items give the agent tools. */
export async function orderAgentEngines(
  wish: AgentEngineSelectionInput,
  hasTools: () => Promise<boolean>,
): Promise<readonly [AgentEngine, ...AgentEngine[]]> {
  if (wish.isPinned || wish.agent === "agent-omni") return ["omni"];
  if (wish.agent === undefined) return ["model"];
  if (wish.agent === "agent-fast") return ["fast"];
  return asksForMore(wish) || (await hasTools()) ? ["omni", "fast"] : ["fast", "omni"];
}

/** It has tools to work with, something to look at, is to think, or goes on with what did. */
function asksForMore({ settings, added, lastEngine }: AgentEngineSelectionInput): boolean {
  return (
    lastEngine === "omni" ||
    asArrayOrEmpty(settings["tools"]).length > 0 ||
    wantsReasoning(settings) ||
    added.some(hasMedia)
  );
}

/** Efforts that ask for no more than an answer. */
const lightEfforts: ReadonlySet<string> = new Set(["none", "minimal", "low"]);

function wantsReasoning({ reasoning }: JsonObject): boolean {
  const effort = asString(asObject(reasoning)?.["effort"]);
  return effort !== undefined && !lightEfforts.has(effort);
}

function hasMedia({ content, output }: JsonObject): boolean {
  return [...asArrayOrEmpty(content), ...asArrayOrEmpty(output)].some((part) =>
    mediaTypes.has(asString(asObject(part)?.["type"]) ?? ""),
  );
}

const mediaTypes: ReadonlySet<string> = new Set(["input_image", "input_file"]);
