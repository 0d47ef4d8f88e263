import type { ConversionWarningCollector } from "./conversion-warning.ts";
import type { HostedTool, NeutralToolChoice, NeutralRequest } from "./neutral-request.ts";

/**
 * The turn without the hosted tools that its upstream has not, as far as they are
 * only offered: something else is left to call, and nothing demands them. Throws
 * 400 with the `type` as `param` for one that is demanded.
 */
export function dropOptionalHostedTools(
  turn: NeutralRequest,
  ledger: ConversionWarningCollector,
  hasTool: (tool: HostedTool) => boolean,
): NeutralRequest {
  const left = turn.tools.filter((tool) => tool.type !== "hosted" || hasTool(tool));
  if (left.length === turn.tools.length) return turn;
  for (const tool of turn.tools) {
    if (tool.type !== "hosted" || hasTool(tool)) continue;
    if (left.length === 0 || isDemanded(tool, turn.toolChoice)) rejectHostedTool(tool, ledger);
    ledger.drop(tool.path, "unsupported");
  }
  return { ...turn, tools: left };
}

/** Throws 400: the upstream does not run it. */
export function rejectHostedTool(
  { path, name }: HostedTool,
  ledger: ConversionWarningCollector,
): never {
  return ledger.reject(
    `${path}.type`,
    `This upstream has no tool \`${name}\`. Leave it out, or offer a function of your own.`,
  );
}

/** A demand for any call may be met by this one; a choice without a neutral word names a vendor's tool. */
function isDemanded({ raw }: HostedTool, choice: NeutralToolChoice | undefined): boolean {
  if (choice?.kind === "tool") return raw["name"] === choice.name;
  return choice?.kind === "required" || choice?.kind === "opaque";
}
