import type { AgentReceiver, ToolCall, ToolResult, ToolSource } from "../../kernel/agent-turn.ts";
import type { GivenItems, GivenMcpServer } from "../../kernel/given-items.ts";
import { toolError } from "../tool-error.ts";
import type { KeptConnections } from "./mcp/kept-connections.ts";
import { hostedServer, serverOfItem, type DialledServer } from "./dialled-server.ts";
import type { McpAnswer, McpCall } from "./mcp/mcp-connection.ts";
import { faultWords, McpFault } from "./mcp/mcp-fault.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { mayUse } from "./outfit/server-rules.ts";
import { readMcpAnswer } from "./output/read-mcp-answer.ts";
import { saidOf, secretScrubber } from "./output/scrub-secrets.ts";

type ServerSource = Extract<ToolSource, { kind: "mcp" }>;

/**
 * Calls a tool of an MCP server, as its item stands now: one that was deleted, or
 * limited to other tools, since the turn began is not called. Rejects only when
 * aborted, or with a fault of ours.
 */
export async function callServerTool(
  connections: KeptConnections,
  givenItems: (receiver: AgentReceiver) => Promise<GivenItems>,
  call: ToolCall,
  source: ServerSource,
  input: JsonObject,
): Promise<ToolResult> {
  const server = await calledServer(givenItems, call, source);
  if (typeof server === "string") return toolError(server);
  const { url, headers } = server.address;
  const scrub = secretScrubber(headers);
  try {
    const answer = await answerOf(connections, server, call, {
      name: source.tool,
      arguments: input,
      inputSchema: call.tool.parameters,
      callName: call.callName,
    });
    return readMcpAnswer(answer, scrub);
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    const said = saidOf(error.details.said ?? "", url, scrub);
    const words = `The MCP server \`${source.server}\` ${faultWords(error)}.`;
    return toolError(said === "" ? words : `${words} It says: ${said}`);
  }
}

/** The server as it is dialled now, or why it is not. */
async function calledServer(
  givenItems: (receiver: AgentReceiver) => Promise<GivenItems>,
  { receiver, hosted = [] }: ToolCall,
  source: ServerSource,
): Promise<DialledServer | string> {
  if (source.itemId === undefined) {
    const server = hosted.find(({ label }) => label === source.server);
    return server === undefined ? notThere(source.server) : hostedServer(receiver, server);
  }
  const { mcpServers } = await givenItems(receiver);
  const item = mcpServers.find(({ id }) => id === source.itemId);
  return item === undefined
    ? notThere(source.server)
    : (refusalOf(item, source) ?? serverOfItem(receiver, item));
}

function notThere(server: string): string {
  return `The MCP server \`${server}\` is not there any more.`;
}

/** Why a tool that was offered is not called any more. */
function refusalOf(
  item: GivenMcpServer,
  { tool, needsApproval }: ServerSource,
): string | undefined {
  if (!mayUse(item, tool)) return "This tool may not be used any more.";
  if (item.needsApproval && !needsApproval)
    return "This tool may be called only with an approval now.";
  return undefined;
}

/** Calls of a turn share a session of the server, so that they can build on each other. */
function answerOf(
  connections: KeptConnections,
  server: DialledServer,
  { callName, signal }: ToolCall,
  call: McpCall,
): Promise<McpAnswer> {
  const key = connectionKey(server, callName);
  const attempt = (): Promise<McpAnswer | "forgotten"> =>
    connections.use(key, server.address, signal, async (connection, isKept) => {
      try {
        return await connection.call(call, signal);
      } catch (error) {
        if (isKept && connection.hasSession && isForgotten(error)) return "forgotten";
        throw error;
      }
    });
  return attemptAgain(attempt, () => connections.drop(key));
}

function connectionKey({ key }: DialledServer, callName: string): string {
  const [turnId] = callName.split("/");
  return `${key}/${turnId}`;
}

/** Ends the sessions that calls of a turn have shared. */
export function endSessions(connections: KeptConnections, turnId: string): void {
  connections.dropWhere((key) => key.endsWith(`/${turnId}`));
}

/** A server that has forgotten the session has not looked at the call: it is made in a new session, once. */
async function attemptAgain(
  attempt: () => Promise<McpAnswer | "forgotten">,
  drop: () => void,
): Promise<McpAnswer> {
  try {
    const answer = await attempt();
    if (answer !== "forgotten") return answer;
    drop();
    const second = await attempt();
    if (second !== "forgotten") return second;
    throw new McpFault("status", { status: 404 });
  } catch (error) {
    // What is given up in the middle leaves a session that nobody knows the state of.
    const isAnswer = error instanceof McpFault && error.kind === "refused";
    if (!isAnswer) drop();
    throw error;
  }
}

/** 404 says so (MCP, Streamable HTTP, Session Management); some servers answer 400. */
function isForgotten(error: unknown): boolean {
  if (!(error instanceof McpFault) || error.kind !== "status") return false;
  return error.details.status === 404 || error.details.status === 400;
}
