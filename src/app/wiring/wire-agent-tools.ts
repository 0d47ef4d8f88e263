import type { ServiceImpl } from "@connectrpc/connect";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import type { AgentToolbox } from "../../agent/tools/agent-toolbox.ts";
import type { BuiltInTool } from "../../agent/tools/built-in-tool.ts";
import type { AgentToolRuntime } from "../../domain/agent-turn.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import { createInProcessRpcTools } from "../../transport/mcp/local-tool.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";
import { readPackageVersion } from "../package-version.ts";
import type { AgentExtensionsModule } from "./wire-items.ts";
import type { DepshealthModule } from "./wire-tools.ts";

export interface AgentToolsModule {
  readonly tools: AgentToolRuntime;
  /** Ends the sessions of MCP servers. */
  close(): Promise<void>;
}

/**
 * Builds the tools of agents. `openTools` opens dependency health in this process,
 * which has the sources and their cache in the database in common with whichever
 * process serves it: it is asked for when an agent calls such a tool for the first time.
 */
export function createAgentToolsModule(
  foundation: SharedResources,
  items: AgentExtensionsModule,
  openTools: () => Promise<DepshealthModule>,
): AgentToolsModule {
  let opened: Promise<AgentToolbox> | undefined;
  const toolbox = () => (opened ??= openToolbox(foundation, items, openTools));
  return {
    tools: {
      buildToolset: async (...parameters) => (await toolbox()).buildToolset(...parameters),
      call: async (call) => (await toolbox()).call(call),
      endTurn: (turnId) =>
        void opened?.then(
          (box) => box.endTurn(turnId),
          () => undefined,
        ),
    },
    close: async () => (await opened)?.close(),
  };
}

/** Loaded when the first agent runs: the client of MCP servers is 30 MB that a process without agents does not need. */
async function openToolbox(
  foundation: SharedResources,
  items: AgentExtensionsModule,
  openTools: () => Promise<DepshealthModule>,
): Promise<AgentToolbox> {
  const { AgentToolbox: Toolbox } = await import("../../agent/tools/agent-toolbox.ts");
  const { dialer, clock } = foundation;
  return new Toolbox({
    items: items.agentItems,
    builtInTools: builtInTools(foundation, mountedLazily(openTools)),
    dialer,
    clock,
    version: readPackageVersion(),
  });
}

function builtInTools(
  { validator, storage, log }: SharedResources,
  mounted: MountedService,
): BuiltInTool[] {
  const tools = createInProcessRpcTools(mounted, {
    validator,
    forkEntityManager: () => storage.database.fork(),
    translateError: toDatabaseUnavailableError,
    log,
  });
  return tools.map((tool) => ({
    name: tool.definition.name,
    description: tool.definition.description ?? tool.definition.name,
    parameters: tool.definition.inputSchema,
    call: (input, signal) => tool.call(input, signal),
  }));
}

/** Dependency health, whose implementation is opened with the first call. */
function mountedLazily(open: () => Promise<DepshealthModule>): MountedService {
  const service = DepshealthService;
  const lazily = service.methods.map(({ localName }) => [
    localName,
    async (...parameters: unknown[]): Promise<unknown> => {
      const { services } = await open();
      const implementation = services.find(
        (mounted) => mounted.service === service,
      )?.implementation;
      const handle: unknown = implementation?.[localName];
      if (typeof handle !== "function") throw new Error(`${localName} is not implemented`);
      return handle.apply(implementation, parameters) as unknown;
    },
  ]);
  return bindServiceImplementation(
    service,
    Object.fromEntries(lazily) as ServiceImpl<typeof DepshealthService>,
  );
}
