import type { EntityManager } from "@mikro-orm/postgresql";
import { lowerCaseHeaders } from "../../platform/endpoint/header-rules.ts";
import type { AgentItemOwner } from "../../domain/agent-turn.ts";
import type {
  AgentItemReader,
  AgentItemsByKind,
  AgentMcpServer,
  AgentSkill,
} from "../../domain/agent-items.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import { mapWithPauses } from "../../platform/map-with-pauses.ts";
import {
  findAgentItems,
  hasAgentItems,
  measureAgentItems,
  type AgentItemQuery,
  type AgentItemRow,
} from "./find-agent-items.ts";
import type { ItemSecrets } from "./item-secrets.ts";

/** Loads of one account at a time: each takes a connection that others wait for. */
const maxLoads = 2;

const serverColumns = ["name", "url", "headers", "tools", "approval"] as const;

/**
 * Reads what the agent works with in an account: a person's own items and the pools of the
 * person's teams, for a team key the pool of its team alone. MCP servers of a team come
 * only once the person is confirmed there. An item that comes twice is returned once.
 */
export class AgentItemStore implements AgentItemReader {
  readonly #fork: () => EntityManager;
  readonly #secrets: ItemSecrets;
  readonly #loads = new KeyedConcurrencyLimiter(maxLoads);

  constructor(fork: () => EntityManager, secrets: ItemSecrets) {
    this.#fork = fork;
    this.#secrets = secrets;
  }

  readForTurn(owner: AgentItemOwner, hold: MemoryReserver): Promise<AgentItemsByKind> {
    return this.#loads.run(owner.accountId, async () => {
      const load = (query: AgentItemQuery) => this.#load(owner, query, hold);
      const rules = await load({ kind: "rules", columns: ["text"] });
      const skills = await load({ kind: "skills", columns: ["name", "description"] });
      const servers = await load({ kind: "mcp", columns: serverColumns });
      return {
        rules: rules.map(({ id, text }) => ({ id, text: text ?? "" })),
        skills: skills.map(({ id, name, description }) => ({
          id,
          name: name ?? "",
          description: description ?? "",
        })),
        mcpServers: await mapWithPauses(servers, headerBytes, (row) => this.#toMcpServer(row)),
      };
    });
  }

  hasMcpServers(owner: AgentItemOwner): Promise<boolean> {
    return hasAgentItems(this.#fork(), owner, "mcp");
  }

  async listMcpServerNames(
    owner: AgentItemOwner,
  ): Promise<readonly Pick<AgentMcpServer, "id" | "name">[]> {
    const rows = await findAgentItems(this.#fork(), owner, { kind: "mcp", columns: ["name"] });
    return rows.map(({ id, name }) => ({ id, name: name ?? undefined }));
  }

  async findMcpServer(owner: AgentItemOwner, id: string): Promise<AgentMcpServer | undefined> {
    const query = { kind: "mcp", columns: serverColumns, id } as const;
    const [row] = await findAgentItems(this.#fork(), owner, query);
    return row && this.#toMcpServer(row);
  }

  async listSkillNames(owner: AgentItemOwner): Promise<readonly Pick<AgentSkill, "id" | "name">[]> {
    const rows = await findAgentItems(this.#fork(), owner, { kind: "skills", columns: ["name"] });
    return rows.map(({ id, name }) => ({ id, name: name ?? "" }));
  }

  findSkillText(
    owner: AgentItemOwner,
    id: string,
    hold: MemoryReserver,
  ): Promise<string | undefined> {
    return this.#loads.run(owner.accountId, async () => {
      const [row] = await this.#load(owner, { kind: "skills", columns: ["text"], id }, hold);
      return row?.text ?? undefined;
    });
  }

  /** Counts what a query loads before it is loaded. */
  async #load(
    owner: AgentItemOwner,
    query: AgentItemQuery,
    hold: MemoryReserver,
  ): Promise<AgentItemRow[]> {
    const em = this.#fork();
    hold(await measureAgentItems(em, owner, query));
    return findAgentItems(em, owner, query);
  }

  #toMcpServer({ id, name, url, headers = null, tools, approval }: AgentItemRow): AgentMcpServer {
    return {
      id,
      name: name ?? undefined,
      url: url ?? "",
      headers: lowerCaseHeaders(this.#secrets.open({ id, headers })),
      tools: tools ?? [],
      needsApproval: approval === "always",
    };
  }
}

function headerBytes({ headers }: AgentItemRow): number {
  return headers?.length ?? 0;
}
