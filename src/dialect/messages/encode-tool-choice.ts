import type { NeutralToolChoice } from "../neutral-request.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** The choice on the wire; undefined: the upstream's own default. */
export function encodeMessagesToolChoice(
  writing: MessagesRequestEncodingContext,
  tools: readonly MessagesWireObject[],
): MessagesWireObject | undefined {
  const { request: turn } = writing;
  const choice = findChosenTool(writing, tools);
  if (turn.parallelToolCalls === undefined || choice?.["type"] === "none") return choice;
  if (turn.parallelToolCalls && turn.origin !== "dialect_messages") return choice;
  if (tools.length === 0) return choice;
  return { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: !turn.parallelToolCalls };
}

function findChosenTool(
  writing: MessagesRequestEncodingContext,
  tools: readonly MessagesWireObject[],
): MessagesWireObject | undefined {
  const { names, warnings: ledger } = writing;
  const choice = writing.request.toolChoice;
  if (choice === undefined) return undefined;
  if (choice.kind === "none" || choice.kind === "auto") {
    return tools.length === 0 ? undefined : { type: choice.kind };
  }
  if (choice.kind === "opaque") {
    return ledger.reject(choice.path, "This upstream has no such choice of tools.");
  }
  if (choice.kind === "tool") {
    const name = names.chosen(choice.name) ?? hostedName(writing, choice.name);
    return {
      type: "tool",
      name: name ?? rejectMessagesUnknownToolChoice(choice, choice.name, ledger),
    };
  }
  if (tools.length === 0) ledger.reject(choice.path, "There is no tool that could be called.");
  return { type: choice.kind === "allowed" && !choice.isRequired ? "auto" : "any" };
}

/** A vendor's tool is chosen by its own name. */
function hostedName(
  { request: turn }: MessagesRequestEncodingContext,
  name: string,
): string | undefined {
  const isKnown = turn.tools.some((tool) => tool.type === "hosted" && tool.raw["name"] === name);
  return isKnown ? name : undefined;
}

/** A choice of what is not there. */
export function rejectMessagesUnknownToolChoice(
  choice: NeutralToolChoice,
  name: string,
  ledger: MessagesRequestEncodingContext["warnings"],
): never {
  return ledger.reject(choice.path, `There is no tool \`${name}\` in this request.`);
}
