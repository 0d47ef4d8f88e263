import { onTestFinished } from "vitest";
import {
  AgentToolbox,
  type AgentToolboxDependencies,
} from "../../../src/agent/tools/agent-toolbox.ts";
import { defaultMcpServerLimits } from "../../../src/agent/tools/mcp/mcp-connection.ts";
import type {
  AgentToolsetSnapshot,
  AgentToolDefinition,
  AgentToolResult,
} from "../../../src/domain/agent-turn.ts";
import {
  noOmittedAgentExtensions,
  type AccountAgentExtensionReader,
  type AgentExtensionsByKind,
  type AgentMcpServer,
} from "../../../src/domain/agent-items.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { Dialer } from "../../../src/platform/dial/dialer.ts";
import type { MemoryReserver } from "../../../src/platform/hold-memory.ts";

export const receiver = { accountId: "user_1", userId: "user_1" };

export interface TestToolbox {
  readonly toolbox: AgentToolbox;
  readonly items: { mcpServers: AgentMcpServer[] } & Omit<AgentExtensionsByKind, "mcpServers">;
  outfit(signal?: AbortSignal, hold?: MemoryReserver): Promise<AgentToolsetSnapshot>;
  /** Calls a tool of an outfit by name. */
  call(outfit: AgentToolsetSnapshot, name: string, options?: TestCall): Promise<AgentToolResult>;
}

interface TestCall {
  readonly input?: unknown;
  readonly callName?: string;
  readonly signal?: AbortSignal;
  readonly hold?: MemoryReserver;
}

/** An item of an MCP server. */
export function mcpItem(url: string, fields: Partial<AgentMcpServer> = {}): AgentMcpServer {
  const id = `item_${url}_${fields.name ?? ""}`;
  return { id, name: undefined, url, headers: {}, tools: [], needsApproval: false, ...fields };
}

/** The toolbox of a person who has these items, with a real dialer that lets addresses of the loopback out. */
export function openToolbox(
  given: Partial<AgentExtensionsByKind>,
  options: Partial<AgentToolboxDependencies> & { readonly allow?: readonly string[] } = {},
): TestToolbox {
  const { allow = ["127.0.0.1:*"], ...rest } = options;
  const dialer = new Dialer({ allow, connectMs: 5000 });
  const items = {
    rules: [],
    skills: [],
    omitted: noOmittedAgentExtensions,
    ...given,
    mcpServers: [...(given.mcpServers ?? [])],
  };
  const toolbox = new AgentToolbox({
    items: readerOf(items),
    builtInTools: [],
    dialer,
    clock: systemClock,
    version: "0.0.0",
    limits: defaultMcpServerLimits,
    ...rest,
  });
  onTestFinished(async () => {
    await toolbox.close();
    await dialer.close();
  });
  const outfit = (signal = new AbortController().signal, hold?: MemoryReserver) =>
    toolbox.buildToolset(receiver, [], signal, [], hold);
  const call = (from: AgentToolsetSnapshot, name: string, test: TestCall = {}) => {
    const {
      input = {},
      callName = "turn_1/1/1",
      signal = new AbortController().signal,
      hold,
    } = test;
    const tool = toolNamed(from, name);
    const parameters = typeof input === "string" ? input : JSON.stringify(input);
    const held = hold && { hold };
    return toolbox.call({ receiver, tool, arguments: parameters, callName, signal, ...held });
  };
  return { toolbox, items, outfit, call };
}

/** A reader of items that a test may change. */
function readerOf(items: AgentExtensionsByKind): AccountAgentExtensionReader {
  return {
    readForTurn: async () => items,
    hasMcpServers: async () => items.mcpServers.length > 0,
    listMcpServerNames: async () => items.mcpServers,
    findMcpServer: async (_owner, id) => items.mcpServers.find((item) => item.id === id),
    listSkillNames: async () => items.skills,
    findSkillText: async (_owner, id) => items.skills.find((item) => item.id === id)?.description,
  };
}

export function toolNamed({ tools }: AgentToolsetSnapshot, name: string): AgentToolDefinition {
  const tool = tools.find((offered) => offered.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** All text of a result. */
export function textOf({ output }: AgentToolResult): string {
  return output.map((part) => String(part["text"] ?? part["image_url"])).join("\n");
}
