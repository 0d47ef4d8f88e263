import { parseCallArguments, unreadableArguments } from "../../dialect/call-arguments.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { AgentOutfit, OfferedTool } from "../../kernel/agent-turn.ts";

/** A call that a model asked for, and what is to become of it. */
export interface ToolRequest {
  /** `<turn>/<step>/<call>`. */
  readonly callName: string;
  /** The model's own id of it. */
  readonly callId: string;
  /** As it was offered. */
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  /** Undefined: there is none of that name. */
  readonly tool: OfferedTool | undefined;
  /** `run`: by us; `refused`: nobody runs it, and the model is told why; else it waits for the caller. */
  readonly fate: "run" | "refused" | "declared" | "approval";
  readonly refusal: string | undefined;
  /** Of the request that was approved. */
  readonly approvalId: string | undefined;
}

/** Where calls are asked for. */
export interface RequestPlace {
  readonly turnId: string;
  /** 0: calls that its caller approved; model calls from 1. */
  readonly step: number;
  readonly outfit: AgentOutfit;
  readonly canApprove: boolean;
}

/** Calls that only whoever declared their tools can run, beside those of functions. */
const callersCalls: ReadonlySet<unknown> = new Set([
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
]);

/** The calls in the output of a model, in their order. */
export function toolRequests(
  output: readonly JsonObject[],
  place: RequestPlace,
): readonly ToolRequest[] {
  return output
    .filter(({ type }) => type === "function_call" || callersCalls.has(type))
    .map((item, index) => requestOf(item, index + 1, place));
}

/** Whether it has to be answered before the model is asked again. */
export function isAnsweredHere({ fate }: ToolRequest): boolean {
  return fate === "run" || fate === "refused";
}

/** What a caller answered. */
interface ApprovalAnswer {
  /** The `mcp_approval_request`. */
  readonly asked: JsonObject;
  readonly approvalId: string;
  /** Undefined: it approved. */
  readonly refusal: string | undefined;
}

/**
 * A call of an earlier turn, for which this one's caller was asked. What was approved is the
 * tool of a server: of another that has its name by now it was not.
 */
export function answeredRequest(
  item: JsonObject,
  number: number,
  place: RequestPlace,
  { asked, approvalId, refusal }: ApprovalAnswer,
): ToolRequest {
  const tool = askedTool(asked, place.outfit);
  const outfit = { ...place.outfit, tools: tool === undefined ? [] : [tool] };
  const named = { ...item, name: tool?.name ?? item["name"] };
  const request = requestOf(named, number, { ...place, outfit, canApprove: true });
  if (refusal !== undefined) return { ...refuse(request, refusal), approvalId };
  if (tool === undefined) return refuse(request, notOffered(asked));
  return request.fate === "refused" ? request : { ...request, fate: "run", approvalId };
}

function askedTool(asked: JsonObject, { tools }: AgentOutfit): OfferedTool | undefined {
  return tools.find(
    ({ source }) =>
      source.kind === "mcp" &&
      source.server === asked["server_label"] &&
      source.tool === asked["name"],
  );
}

function notOffered({ server_label, name }: JsonObject): string {
  return `The call was not made: the MCP server \`${String(server_label)}\` with its tool \`${String(name)}\` is not there in this turn. A server that a request declares has to be declared again by the request that approves.`;
}

function requestOf(
  item: JsonObject,
  number: number,
  { turnId, step, outfit, canApprove }: RequestPlace,
): ToolRequest {
  const name = asString(item["name"]) ?? "";
  const request: ToolRequest = {
    callName: `${turnId}/${step}/${number}`,
    callId: asString(item["call_id"]) ?? "",
    name,
    arguments: asString(item["arguments"]) ?? "",
    tool: outfit.tools.find((tool) => tool.name === name),
    fate: "run",
    refusal: undefined,
    approvalId: undefined,
  };
  return item["type"] === "function_call"
    ? judge(request, canApprove)
    : { ...request, fate: "declared" };
}

function judge(request: ToolRequest, canApprove: boolean): ToolRequest {
  const { tool, name } = request;
  if (tool === undefined) return refuse(request, `There is no tool \`${name}\`.`);
  if (tool.source.kind === "declared") return { ...request, fate: "declared" };
  if (parseCallArguments(request.arguments) === undefined)
    return refuse(request, unreadableArguments);
  if (tool.source.kind === "own" || !tool.source.needsApproval) return request;
  if (canApprove) return { ...request, fate: "approval" };
  return refuse(
    request,
    `The tool \`${name}\` may be called only with an approval, which cannot be given here.`,
  );
}

function refuse(request: ToolRequest, refusal: string): ToolRequest {
  return { ...request, fate: "refused", refusal };
}
