import type { EntityManager } from "@mikro-orm/postgresql";
import { lowerCaseHeaders } from "../../platform/endpoint/header-rules.ts";
import type { AgentItemOwner } from "../../domain/agent-turn.ts";
import {
  maxMcpServersPerTurn,
  type AgentItemReader,
  type AgentItemsByKind,
  type AgentMcpServer,
  type AgentSkill,
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
  type AgentItemSize,
} from "./find-agent-items.ts";
import type { AgentItemHeaderSealer } from "./item-secrets.ts";

/** Loads of one account at a time: each takes a connection that others wait for. */
const maxLoads = 2;

/** Bytes of all rules of a turn, which each of its model calls has, and of what it says of skills. */
const maxTurnItemBytes = 1024 * 1024;

const skillsQuery = { kind: "skills", columns: ["name", "description"] } as const;
const serverColumns = ["name", "url", "headers", "tools", "approval"] as const;

/**
 * Reads what the agent works with in an account: a person's own items and the pools of the
 * person's teams, for a team key the pool of its team alone. The items of a team come
 * only once the person is confirmed there. An item that comes twice is returned once.
 */
export class DatabaseAgentItemReader implements AgentItemReader {
  readonly #fork: () => EntityManager;
  readonly #secrets: AgentItemHeaderSealer;
  readonly #loads = new KeyedConcurrencyLimiter(maxLoads);

  constructor(fork: () => EntityManager, secrets: AgentItemHeaderSealer) {
    this.#fork = fork;
    this.#secrets = secrets;
  }

  readForTurn(owner: AgentItemOwner, hold: MemoryReserver): Promise<AgentItemsByKind> {
    return this.#loads.run(owner.accountId, async () => {
      const rules = await this.#load(owner, { kind: "rules", columns: ["text"] }, hold, takeBytes);
      const skills = await this.#load(owner, skillsQuery, hold, takeBytes);
      const query = { kind: "mcp", columns: serverColumns } as const;
      const servers = await this.#load(owner, query, hold, takeServers);
      return {
        rules: rules.rows.map(({ id, text }) => ({ id, text: text ?? "" })),
        skills: skills.rows.map(toAgentSkill),
        mcpServers: await mapWithPauses(servers.rows, headerBytes, (row) => this.#toMcpServer(row)),
        omitted: {
          rules: rules.omitted,
          skills: skills.omitted,
          mcpServers: servers.omitted,
        },
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
    const query = { kind: "mcp", columns: serverColumns, ids: [id] } as const;
    const [row] = await findAgentItems(this.#fork(), owner, query);
    return row && this.#toMcpServer(row);
  }

  async listSkillNames(owner: AgentItemOwner): Promise<readonly Pick<AgentSkill, "id" | "name">[]> {
    const em = this.#fork();
    // The same skills that a turn is offered: others change the names by which they are read.
    const taken = takeBytes(await measureAgentItems(em, owner, skillsQuery));
    const query = { kind: "skills", columns: ["name"], ids: taken.map(({ id }) => id) } as const;
    const rows = await findAgentItems(em, owner, query);
    return rows.map(({ id, name }) => ({ id, name: name ?? "" }));
  }

  findSkillText(
    owner: AgentItemOwner,
    id: string,
    hold: MemoryReserver,
  ): Promise<string | undefined> {
    return this.#loads.run(owner.accountId, async () => {
      const query = { kind: "skills", columns: ["text"], ids: [id] } as const;
      const { rows } = await this.#load(owner, query, hold, (sizes) => sizes);
      return rows[0]?.text ?? undefined;
    });
  }

  /** Counts what a query loads before it is loaded. */
  async #load(
    owner: AgentItemOwner,
    query: AgentItemQuery,
    hold: MemoryReserver,
    take: (sizes: readonly AgentItemSize[]) => readonly AgentItemSize[],
  ): Promise<LoadedItems> {
    const em = this.#fork();
    const sizes = await measureAgentItems(em, owner, query);
    const taken = take(sizes);
    if (taken.length === 0) return { rows: [], omitted: sizes.length };
    hold(taken.reduce((sum, { bytes }) => sum + bytes, 0));
    const rows = await findAgentItems(em, owner, { ...query, ids: taken.map(({ id }) => id) });
    return { rows, omitted: sizes.length - taken.length };
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

interface LoadedItems {
  readonly rows: readonly AgentItemRow[];
  /** How many a turn does not take. */
  readonly omitted: number;
}

/** The first items that fit. */
function takeBytes(sizes: readonly AgentItemSize[]): readonly AgentItemSize[] {
  let room = maxTurnItemBytes;
  const end = sizes.findIndex(({ bytes }) => (room -= bytes) < 0);
  return end === -1 ? sizes : sizes.slice(0, end);
}

function takeServers(sizes: readonly AgentItemSize[]): readonly AgentItemSize[] {
  return sizes.slice(0, maxMcpServersPerTurn);
}

function toAgentSkill({ id, name, description }: AgentItemRow): AgentSkill {
  return { id, name: name ?? "", description: description ?? "" };
}

function headerBytes({ headers }: AgentItemRow): number {
  return headers?.length ?? 0;
}
