import type { JsonObject } from "../../dialect/json.ts";
import type { AgentToolResult } from "../../domain/agent-turn.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";
import { buildMcpApprovalRequestId } from "./approval-id.ts";
import { buildFunctionCallOutputItem, toolResultToText } from "./tool-output.ts";
import type { RequestedToolCall } from "./requested-tool-call.ts";

/** What callers are told of a call: an item, and its events between announcement and end. */
export interface McpCallStartEvents {
  /** As it is announced. */
  readonly startItem: JsonObject;
  readonly events: readonly ResponsesStreamEvent[];
}

/** The id of an item is that of the call, so that whoever takes a turn over knows what was told. */
function itemId(prefix: string, { callName }: RequestedToolCall): string {
  const [turn = "", step, call] = callName.split("/");
  return `${prefix}_${turn.slice(turn.indexOf("_") + 1)}_${step}_${call}`;
}

/** How the call of an MCP tool begins; undefined: callers are told of it otherwise, or not at all. */
export function buildMcpCallStart(request: RequestedToolCall): McpCallStartEvents | undefined {
  const item = mcpItem(request);
  if (item === undefined) return undefined;
  const { arguments: text } = request;
  return {
    startItem: { ...item, arguments: "", status: "in_progress" },
    events: [
      { type: "response.mcp_call.in_progress" },
      { type: "response.mcp_call_arguments.delta", delta: text },
      { type: "response.mcp_call_arguments.done", arguments: text },
    ],
  };
}

/** How it ends: the event before the last, and the item. */
export function buildMcpCallEnd(
  request: RequestedToolCall,
  result: AgentToolResult,
): { readonly item: JsonObject; readonly event: ResponsesStreamEvent | undefined } | undefined {
  const item = mcpItem(request);
  if (item === undefined) return outputItem(request, result);
  if (!result.isError) {
    const done = { ...item, output: toolResultToText(result), status: "completed" };
    return { item: done, event: { type: "response.mcp_call.completed" } };
  }
  const content = [{ type: "text", text: toolResultToText(result) }];
  const error = { type: "mcp_tool_execution_error", content };
  const failed = { ...item, error, status: "failed" };
  return { item: failed, event: { type: "response.mcp_call.failed" } };
}

/** Asks the caller whether a tool may be called. */
export function buildApprovalRequestItem(request: RequestedToolCall): JsonObject {
  const { server, name } = serverOf(request);
  const base = itemId("mcpr", request);
  const source = request.tool?.source;
  return {
    type: "mcp_approval_request",
    id: source?.kind === "mcp" ? buildMcpApprovalRequestId(base, source) : base,
    server_label: server,
    name,
    arguments: request.arguments,
  };
}

/** Output of a tool of our own, whose call the model's words told. */
function outputItem(
  request: RequestedToolCall,
  result: AgentToolResult,
): { readonly item: JsonObject; readonly event: undefined } | undefined {
  if (request.tool?.source.kind !== "own") return undefined;
  const told = { ...buildFunctionCallOutputItem(request, result), status: "completed" };
  return { item: { id: itemId("fco", request), ...told }, event: undefined };
}

function mcpItem(request: RequestedToolCall): JsonObject | undefined {
  if (request.tool?.source.kind !== "mcp") return undefined;
  const { server, name } = serverOf(request);
  return {
    type: "mcp_call",
    id: itemId("mcp", request),
    approval_request_id: request.approvalId ?? null,
    server_label: server,
    name,
    arguments: request.arguments,
    output: null,
    error: null,
  };
}

function serverOf({ tool, name }: RequestedToolCall): {
  readonly server: string;
  readonly name: string;
} {
  const source = tool?.source;
  return source?.kind === "mcp"
    ? { server: source.server, name: source.tool }
    : { server: "", name };
}
