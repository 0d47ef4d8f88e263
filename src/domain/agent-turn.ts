import type { AgentLimits } from "../platform/configuration/agents.ts";
import type { MemoryReserver } from "../platform/hold-memory.ts";
import type { JsonObject } from "../platform/json-value.ts";

/** What an agent thinks with; `model`: an ordinary model that its caller named. */
export type AgentEngine = "omni" | "fast" | "model";

/** Whose items an agent works with: the account that pays, and the person behind it. */
export interface AgentExtensionOwner {
  /** The person's own, or the team of a team key. */
  readonly accountId: string;
  /** The person; of a team key its creator. */
  readonly userId: string;
}

/**
 * What makes a turn an agent's, decided and kept when it is stored. The body of its request is
 * one of the responses dialect, whatever its caller spoke: its `input` are the items that
 * this turn adds to the thread, its `instructions` the caller's own, its `tools` those that
 * the caller declares.
 */
export interface AgentTurnSettings {
  readonly threadId: string;
  /** Name of the thread. */
  readonly session: string;
  readonly engine: AgentEngine;
  /** Model of its calls, as a caller would name it. */
  readonly model: string;
  /** The engine's, from the configuration. */
  readonly instructions: string | undefined;
  readonly limits: AgentLimits;
  readonly receiver: AgentExtensionOwner;
  /** Its caller can be asked whether a tool may be called, as those of the responses dialect can. */
  readonly canApprove: boolean;
  /** MCP servers that its request declares; absent: none. */
  readonly hosted?: readonly DeclaredMcpServer[];
}

/** An MCP server that a request declares, whose tools the agent may use in its turn. Dial it through the checked dialer only. */
export interface DeclaredMcpServer {
  /** What models and callers know it by, unlike every other of the turn. */
  readonly label: string;
  /** What its caller says of it. */
  readonly description: string | undefined;
  readonly url: string;
  /** In the clear, names in lower case: not for logs, answers or the model. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which of its tools may be used; undefined: all. */
  readonly allowed: McpToolFilter | undefined;
  /** Which of its tools wait for an approval, and which do not. `always` goes before; what neither names waits. */
  readonly approval: {
    readonly always: McpToolFilter | undefined;
    readonly never: McpToolFilter | undefined;
  };
}

/** Tools that all set members hold for; one without members: all tools. */
export interface McpToolFilter {
  readonly names?: readonly string[];
  /** Whether the server says that the tool changes nothing. */
  readonly isReadOnly?: boolean;
}

/** What was said in threads; implemented by the threads of the agent. */
export interface AgentHistoryReader {
  /**
   * Items before a turn of a thread, oldest first, the same whenever they are asked for:
   * those of `TurnConversationItems.items` of the thread's earlier turns. `hold` counts what they take,
   * before they are read.
   */
  historyBefore(
    turn: { readonly id: string; readonly threadId: string },
    hold: MemoryReserver,
  ): Promise<readonly JsonObject[]>;
}

/** Where a tool that is offered to the model comes from. */
export type AgentToolSource =
  /** The agent's own: a skill, or a tool of dependency health. It may be called again. */
  | {
      readonly kind: "own";
      /** Our name of it: what it is offered as may be another. */
      readonly tool: string;
    }
  | {
      readonly kind: "mcp";
      /** Undefined: the request declares the server, under the label. */
      readonly itemId: string | undefined;
      /** Normalized address of a server that the request declares; undefined: an item has the server, or an older version found the tool. */
      readonly declaredUrl?: string | undefined;
      /** Label of the server, as its calls show it. */
      readonly server: string;
      /** The tool's name there. */
      readonly tool: string;
      /** The server says that calling it twice does what calling it once does. */
      readonly mayRepeat: boolean;
      readonly needsApproval: boolean;
    }
  /** The caller runs it: its call ends the turn. `tool`: as declared. */
  | { readonly kind: "declared"; readonly tool: JsonObject };

/** A tool as the model is offered it. */
export interface AgentToolDefinition {
  /** Unlike every other of the turn. */
  readonly name: string;
  readonly description: string | undefined;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
  readonly source: AgentToolSource;
}

/** What an agent works with in one turn: found before its first step, and the same, byte for byte, in all of them. Can be kept as JSON. */
export interface AgentToolsetSnapshot {
  /** What stands between the engine's instructions and the caller's: rules, skills by name, notes; in order. */
  readonly instructions: readonly string[];
  /** In the order in which they are offered. */
  readonly tools: readonly AgentToolDefinition[];
  /** What the servers that the request declares have answered, in their order; absent: it declares none. */
  readonly listings?: readonly McpToolListing[];
}

/** What a server that a request declares has, as its caller is told it. */
export interface McpToolListing {
  readonly label: string;
  /** Those that may be used: `name`, `description`, `input_schema` and `annotations`. */
  readonly tools: readonly JsonObject[];
  /** Why there are none; undefined: the server answered. */
  readonly error: string | undefined;
}

/** A call of a tool that is not the caller's. */
export interface AgentToolCall {
  readonly receiver: AgentExtensionOwner;
  readonly tool: AgentToolDefinition;
  /** Servers that the request of the turn declares; absent: none. */
  readonly hosted?: readonly DeclaredMcpServer[];
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  /** `<turn>/<step>/<call>`, the same when it is made again. */
  readonly callName: string;
  /** Aborted: its connections are closed at once. */
  readonly signal: AbortSignal;
  /** Counts what is read of an answer to the account while it is read; absent: nothing is counted. */
  readonly hold?: MemoryReserver;
}

/** What a tool answered, as it is told to the model: data, and never instructions. */
export interface AgentToolResult {
  /** `input_text` and `input_image` parts of the responses dialect. */
  readonly output: readonly JsonObject[];
  readonly isError: boolean;
}

/** Tools of agents; implemented by the tools of the agent domain. */
export interface AgentToolRuntime {
  /** Asks everything that the receiver's items name, and the servers that the request declares (`hosted`); what does not answer is left out, with a note to the model. `hold` counts what is read, until it resolves. Rejects only when aborted, or with a fault of ours. */
  buildToolset(
    receiver: AgentExtensionOwner,
    declared: readonly JsonObject[],
    signal: AbortSignal,
    hosted?: readonly DeclaredMcpServer[],
    hold?: MemoryReserver,
  ): Promise<AgentToolsetSnapshot>;
  /** Rejects only when aborted, or with a fault of ours: what fails elsewhere is a result. */
  call(call: AgentToolCall): Promise<AgentToolResult>;
  /** What calls of a turn have shared, sessions of servers for instance, is needed no more. */
  endTurn(turnId: string): void;
}
