import type { AgentToolCall, AgentToolResult, AgentToolSource } from "../../domain/agent-turn.ts";
import type { AccountAgentExtensionReader, AgentMcpServer } from "../../domain/agent-items.ts";
import { noopMemoryReserver } from "../../platform/hold-memory.ts";
import { createAgentToolErrorResult } from "../tool-error.ts";
import type { McpConnectionPool } from "./mcp/mcp-connection-pool.ts";
import {
  toMcpServerFromDeclaration,
  toMcpServerFromExtension,
  type McpServerWithCacheKey,
} from "./mcp-server-target.ts";
import type { RawMcpToolResult, McpToolCall } from "./mcp/mcp-connection.ts";
import { describeMcpServerError, McpServerError } from "./mcp/mcp-server-error.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { compileExtensionToolFilter } from "./toolset/tool-policy.ts";
import { convertMcpToolResult } from "./result/read-mcp-result.ts";
import { summarizeMcpServerError, createSecretRedactor } from "./result/redact-secrets.ts";

type ServerSource = Extract<AgentToolSource, { kind: "mcp" }>;

/**
 * Calls a tool of an MCP server, as its item stands now: one that was deleted, or
 * limited to other tools, since the turn began is not called. Rejects only when
 * aborted, or with a fault of ours.
 */
export async function callMcpTool(
  connections: McpConnectionPool,
  items: Pick<AccountAgentExtensionReader, "findMcpServer">,
  call: AgentToolCall,
  source: ServerSource,
  input: JsonObject,
): Promise<AgentToolResult> {
  const server = await calledServer(items, call, source);
  if (typeof server === "string") return createAgentToolErrorResult(server);
  const { url, headers } = server.address;
  const scrub = createSecretRedactor(headers);
  try {
    const { tool, callName } = call;
    const named = { name: source.tool, arguments: input, inputSchema: tool.parameters, callName };
    const read = (answer: RawMcpToolResult): AgentToolResult => convertMcpToolResult(answer, scrub);
    return await answerOf(connections, server, call, named, read);
  } catch (error) {
    if (!(error instanceof McpServerError)) throw error;
    const said = summarizeMcpServerError(error.details.serverMessage ?? "", url, scrub);
    const words = `The MCP server \`${source.server}\` ${describeMcpServerError(error)}.`;
    return createAgentToolErrorResult(said === "" ? words : `${words} It says: ${said}`);
  }
}

/** The server as it is dialled now, or why it is not. */
async function calledServer(
  items: Pick<AccountAgentExtensionReader, "findMcpServer">,
  { receiver, hosted = [] }: AgentToolCall,
  source: ServerSource,
): Promise<McpServerWithCacheKey | string> {
  if (source.itemId === undefined) {
    const server = hosted.find(({ label }) => label === source.server);
    return server === undefined
      ? toolUnavailable(source.server)
      : toMcpServerFromDeclaration(receiver, server);
  }
  const item = await items.findMcpServer(receiver, source.itemId);
  return item === undefined
    ? toolUnavailable(source.server)
    : (refusalOf(item, source) ?? toMcpServerFromExtension(receiver, item));
}

function toolUnavailable(server: string): string {
  return `The MCP server \`${server}\` is not there any more.`;
}

/** Why a tool that was offered is not called any more. */
function refusalOf(
  item: AgentMcpServer,
  { tool, needsApproval }: ServerSource,
): string | undefined {
  if (!compileExtensionToolFilter(item)(tool)) return "This tool may not be used any more.";
  if (item.needsApproval && !needsApproval)
    return "This tool may be called only with an approval now.";
  return undefined;
}

/** Calls of a turn share a session of the server, so that they can build on each other. */
function answerOf(
  connections: McpConnectionPool,
  server: McpServerWithCacheKey,
  { callName, signal, hold = noopMemoryReserver }: AgentToolCall,
  call: McpToolCall,
  read: (answer: RawMcpToolResult) => AgentToolResult,
): Promise<AgentToolResult> {
  const key = connectionKey(server, callName);
  const attempt = (): Promise<AgentToolResult | "forgotten"> =>
    connections.use(key, server.address, signal, async (connection, isKept) => {
      try {
        return await connection.call(call, signal, hold, read);
      } catch (error) {
        if (isKept && connection.hasSession && isUnknownSession(error)) return "forgotten";
        throw error;
      }
    });
  return attemptAgain(attempt, () => connections.drop(key));
}

function connectionKey({ key }: McpServerWithCacheKey, callName: string): string {
  const [turnId] = callName.split("/");
  return `${key}/${turnId}`;
}

/** Ends the sessions that calls of a turn have shared. */
export function closeMcpSessions(connections: McpConnectionPool, turnId: string): void {
  connections.dropWhere((key) => key.endsWith(`/${turnId}`));
}

/** A server that has forgotten the session has not looked at the call: it is made in a new session, once. */
async function attemptAgain(
  attempt: () => Promise<AgentToolResult | "forgotten">,
  drop: () => void,
): Promise<AgentToolResult> {
  try {
    const answer = await attempt();
    if (answer !== "forgotten") return answer;
    drop();
    const second = await attempt();
    if (second !== "forgotten") return second;
    throw new McpServerError("status", { status: 404 });
  } catch (error) {
    // What is given up in the middle leaves a session that nobody knows the state of.
    const isAnswer = error instanceof McpServerError && error.kind === "refused";
    if (!isAnswer) drop();
    throw error;
  }
}

/** 404 says so (MCP, Streamable HTTP, Session Management); some servers answer 400. */
function isUnknownSession(error: unknown): boolean {
  if (!(error instanceof McpServerError) || error.kind !== "status") return false;
  return error.details.status === 404 || error.details.status === 400;
}
