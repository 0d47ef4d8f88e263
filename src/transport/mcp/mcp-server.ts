import { AsyncLocalStorage } from "node:async_hooks";
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Implementation,
  type McpHttpHandler,
} from "@modelcontextprotocol/server";
import type { McpHttpExchange, McpRpcTool } from "./tool.ts";

export interface McpServerOptions {
  readonly info: Implementation;
  /** What a model is told of the server as a whole. */
  readonly instructions: string;
  readonly tools: readonly McpRpcTool[];
  /** Bytes of a request. */
  readonly maxBodyBytes: number;
}

/** An MCP server that answers one HTTP request at a time. */
export interface McpHttpServer {
  handle(request: Request, exchange: McpHttpExchange): Promise<Response>;
  close(): Promise<void>;
}

/** The list of tools changes with the program only. */
const hour = 60 * 60_000;
/** Somebody may subscribe, as the protocol has it; nothing ever changes, so that few have reason to. */
const maxSubscriptions = 64;
const cacheHint = { ttlMs: hour, cacheScope: "public" } as const;

/**
 * Serves the tools without sessions, to clients of the 2026 revision and of those
 * before it alike.
 */
export function createMcpServer(options: McpServerOptions): McpHttpServer {
  const exchanges = new AsyncLocalStorage<McpHttpExchange>();
  const handler: McpHttpHandler = createMcpHandler(() => createServer(options, exchanges), {
    maxSubscriptions,
    maxRequestBodySize: options.maxBodyBytes,
  });
  return {
    handle: (request, exchange) => exchanges.run(exchange, () => handler.fetch(request)),
    close: () => handler.close(),
  };
}

function createServer(
  { info, instructions, tools }: McpServerOptions,
  exchanges: AsyncLocalStorage<McpHttpExchange>,
): Server {
  const server = new Server(info, {
    capabilities: { tools: {} },
    instructions,
    cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint },
  });
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(({ definition }) => definition),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    const exchange = exchanges.getStore();
    if (tool === undefined || exchange === undefined) throw unknownTool(params.name, tools);
    return tool.call(params.arguments ?? {}, exchange);
  });
  return server;
}

function unknownTool(name: string, tools: readonly McpRpcTool[]): ProtocolError {
  const names = tools.map(({ definition }) => definition.name).join(", ");
  const message = `There is no tool ${JSON.stringify(name)}; there are ${names}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
