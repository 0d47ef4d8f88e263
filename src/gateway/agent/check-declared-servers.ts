import { asObject, asString } from "../../dialect/json.ts";
import type { AgentExtensionOwner } from "../../domain/agent-turn.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { AgentTurnPlanningDependencies } from "./agent-dependencies.ts";
import { mcpServerLabelConflictError, type RequestMcpServerEntry } from "./declared-servers.ts";

/**
 * Throws 400 with the field as `param` for a declared server whose label one of the account's
 * items has, whose address policy refuses, and for a `choice` of a server that is not there.
 */
export async function assertMcpServerDeclarationsValid(
  {
    serverLabels,
    checkAddress,
  }: Pick<AgentTurnPlanningDependencies, "serverLabels" | "checkAddress">,
  receiver: AgentExtensionOwner,
  declared: readonly RequestMcpServerEntry[],
  choice: unknown,
): Promise<void> {
  const chosen = asObject(choice)?.["type"] === "mcp" ? asObject(choice) : undefined;
  if (declared.length === 0 && chosen === undefined) return;
  const labels = new Set(await serverLabels(receiver));
  for (const { server, path } of declared) {
    if (labels.has(server.label))
      throw mcpServerLabelConflictError(`${path}.server_label`, server.label);
    await checkAddress(server.url, `${path}.server_url`);
  }
  if (chosen === undefined) return;
  const known = [...labels, ...declared.map(({ server }) => server.label)];
  checkChoice(chosen, declared, known);
}

function checkChoice(
  { server_label, name }: { readonly [member: string]: unknown },
  declared: readonly RequestMcpServerEntry[],
  known: readonly string[],
): void {
  const label = asString(server_label);
  if (label === undefined || !known.includes(label)) {
    throw invalidRequestError(
      "tool_choice.server_label",
      "There is no MCP server of this label: declare it in `tools`, or choose another.",
    );
  }
  const names = declared.find(({ server }) => server.label === label)?.server.allowed?.names;
  const wanted = asString(name);
  if (wanted === undefined || names === undefined || names.includes(wanted)) return;
  throw invalidRequestError(
    "tool_choice.name",
    `The \`allowed_tools\` of \`${label}\` do not name this tool.`,
  );
}
