import { asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { AgentToolsetSnapshot } from "../../domain/agent-turn.ts";

/**
 * A caller's choice as the model call of a step says it: tools of a server are functions to
 * the model. Undefined: no choice, as where the server offers nothing that was chosen.
 */
export function toFunctionToolChoice(choice: unknown, { tools }: AgentToolsetSnapshot): unknown {
  const { type, server_label, name } = asObject(choice) ?? {};
  if (type !== "mcp") return tools.length === 0 ? undefined : choice;
  const wanted = asString(name);
  const chosen = tools.filter(
    ({ source }) =>
      source.kind === "mcp" &&
      source.server === server_label &&
      (wanted === undefined || source.tool === wanted),
  );
  const named = chosen.map((tool): JsonObject => ({ type: "function", name: tool.name }));
  if (named.length <= 1) return named[0];
  return { type: "allowed_tools", mode: "required", tools: named };
}
