import { parseToolArguments } from "../../dialect/call-arguments.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { AgentToolsetSnapshot, AgentToolDefinition } from "../../domain/agent-turn.ts";
import { isApprovalIdForServer, isServerBoundApprovalId } from "./approval-id.ts";

/** A call that a model asked for, and what is to become of it. */
export interface RequestedToolCall {
  /** `<turn>/<step>/<call>`. */
  readonly callName: string;
  /** The model's own id of it. */
  readonly callId: string;
  /** As it was offered. */
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  /** Undefined: there is none of that name. */
  readonly tool: AgentToolDefinition | undefined;
  /** `run`: by us; `refused`: nobody runs it, and the model is told why; else it waits for the caller. */
  readonly disposition: "run" | "rejected" | "caller" | "approval";
  readonly rejection: string | undefined;
  /** Of the request that was approved. */
  readonly approvalId: string | undefined;
}

/** Where calls are asked for. */
export interface AgentStepContext {
  readonly turnId: string;
  /** 0: calls that its caller approved; model calls from 1. */
  readonly step: number;
  readonly toolset: AgentToolsetSnapshot;
  readonly canApprove: boolean;
}

/** Calls that only whoever declared their tools can run, beside those of functions. */
const callerRunCallTypes: ReadonlySet<unknown> = new Set([
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
]);

/** Whether an output item is a tool call that the gateway or the caller must answer. */
export function isToolCallItem({ type }: JsonObject): boolean {
  return type === "function_call" || callerRunCallTypes.has(type);
}

/** The calls in the output of a model, in their order. */
export function extractRequestedToolCalls(
  output: readonly JsonObject[],
  place: AgentStepContext,
): readonly RequestedToolCall[] {
  return output.filter(isToolCallItem).map((item, index) => requestOf(item, index + 1, place));
}

/** Whether it has to be answered before the model is asked again. */
export function needsGatewayResult({ disposition: fate }: RequestedToolCall): boolean {
  return fate === "run" || fate === "rejected";
}

/** What a caller answered. */
interface ApprovalDecision {
  /** The `mcp_approval_request`. */
  readonly asked: JsonObject;
  readonly approvalId: string;
  /** Undefined: it approved. */
  readonly rejection: string | undefined;
}

/**
 * Returns the call that an `mcp_approval_request` of an earlier turn asked about. Its arguments are
 * those of the request, because the caller approved these: a model may repeat the id of a call.
 * The approval is for the tool of one server: another that has its label by now is not called.
 */
export function applyApprovalDecision(
  number: number,
  place: AgentStepContext,
  { asked, approvalId, rejection: refusal }: ApprovalDecision,
): RequestedToolCall {
  const tool = requestedTool(asked, approvalId, place.toolset);
  const outfit = { ...place.toolset, tools: tool === undefined ? [] : [tool] };
  const { call_id, name, arguments: text } = asked;
  const call = { type: "function_call", call_id, name: tool?.name ?? name, arguments: text };
  const request = requestOf(call, number, { ...place, toolset: outfit, canApprove: true });
  if (refusal !== undefined) return { ...refuse(request, refusal), approvalId };
  if (tool === undefined) return refuse(request, notOffered(asked, approvalId));
  return request.disposition === "rejected"
    ? request
    : { ...request, disposition: "run", approvalId };
}

function requestedTool(
  asked: JsonObject,
  approvalId: string,
  { tools }: AgentToolsetSnapshot,
): AgentToolDefinition | undefined {
  return tools.find(
    ({ source }) =>
      source.kind === "mcp" &&
      source.server === asked["server_label"] &&
      source.tool === asked["name"] &&
      isApprovalIdForServer(approvalId, source),
  );
}

function notOffered({ server_label, name }: JsonObject, approvalId: string): string {
  if (!isServerBoundApprovalId(approvalId))
    return `The call was not made: its approval was asked for by an older version, which did not note which server the label \`${String(server_label)}\` named. Call the tool again to ask once more.`;
  return `The call was not made: the MCP server \`${String(server_label)}\` with its tool \`${String(name)}\` is not there in this turn. A server that a request declares has to be declared again by the request that approves.`;
}

function requestOf(
  item: JsonObject,
  number: number,
  { turnId, step, toolset: outfit, canApprove }: AgentStepContext,
): RequestedToolCall {
  const name = asString(item["name"]) ?? "";
  const request: RequestedToolCall = {
    callName: `${turnId}/${step}/${number}`,
    callId: asString(item["call_id"]) ?? "",
    name,
    arguments: asString(item["arguments"]) ?? "",
    tool: outfit.tools.find((tool) => tool.name === name),
    disposition: "run",
    rejection: undefined,
    approvalId: undefined,
  };
  return item["type"] === "function_call"
    ? classify(request, canApprove)
    : { ...request, disposition: "caller" };
}

function classify(request: RequestedToolCall, canApprove: boolean): RequestedToolCall {
  const { tool, name } = request;
  if (tool === undefined) return refuse(request, `There is no tool \`${name}\`.`);
  if (tool.source.kind === "declared") return { ...request, disposition: "caller" };
  const read = parseToolArguments(request.arguments);
  if ("error" in read) return refuse(request, read.error);
  if (tool.source.kind === "own" || !tool.source.needsApproval) return request;
  if (canApprove) return { ...request, disposition: "approval" };
  return refuse(
    request,
    `The tool \`${name}\` may be called only with an approval, which cannot be given here.`,
  );
}

function refuse(request: RequestedToolCall, refusal: string): RequestedToolCall {
  return { ...request, disposition: "rejected", rejection: refusal };
}
