import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

/** What these tests read of a tool. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
}

/** Both generations of the official client, as far as these tests use them. */
export interface McpClient {
  listTools(): Promise<readonly ListedTool[]>;
  call(name: string, input: Record<string, unknown>): Promise<ToolResult>;
  /** Revision of the protocol that was agreed on. */
  readonly revision: string | undefined;
  readonly server: { readonly name: string; readonly version: string } | undefined;
}

const info = { name: "test", version: "1" };

/** The client of the first generation, which knows the revisions until 2025. */
export async function firstClient(url: string): Promise<McpClient> {
  const client = new FirstClient(info);
  const transport = new FirstTransport(new URL(url));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => (await client.callTool({ name, arguments: input })) as ToolResult,
    revision: transport.protocolVersion,
    server: client.getServerVersion(),
  };
}

/** The client of the second generation: of its own revision, or of one from 2025. */
export async function modernClient(
  url: string,
  versionNegotiation?: { mode: "auto" } | { mode: "legacy" } | { mode: { pin: string } },
): Promise<McpClient> {
  const client = new ModernClient(
    info,
    versionNegotiation === undefined ? {} : { versionNegotiation },
  );
  await client.connect(new ModernTransport(new URL(url)));
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => await client.callTool({ name, arguments: input }),
    revision: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
  };
}
