import type { EntityManager } from "@mikro-orm/postgresql";
import { lowerCaseHeaders } from "../../platform/endpoint/header-rules.ts";
import type { AgentExtensionOwner } from "../../domain/agent-turn.ts";
import {
  maxMcpServersPerTurn,
  type AccountAgentExtensionReader,
  type AgentExtensionsByKind,
  type AgentMcpServer,
  type AgentSkill,
} from "../../domain/agent-items.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import { mapWithPauses } from "../../platform/map-with-pauses.ts";
import {
  findAgentExtensions,
  hasAccountAgentExtensions,
  listAgentExtensionSizes,
  type AgentExtensionQuery,
  type AgentExtensionRow,
  type AgentExtensionSize,
} from "./find-agent-items.ts";
import type { AgentExtensionHeaderSealer } from "./item-secrets.ts";

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
export class DatabaseAgentExtensionReader implements AccountAgentExtensionReader {
  readonly #fork: () => EntityManager;
  readonly #secrets: AgentExtensionHeaderSealer;
  readonly #loads = new KeyedConcurrencyLimiter(maxLoads);

  constructor(fork: () => EntityManager, secrets: AgentExtensionHeaderSealer) {
    this.#fork = fork;
    this.#secrets = secrets;
  }

  readForTurn(owner: AgentExtensionOwner, hold: MemoryReserver): Promise<AgentExtensionsByKind> {
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

  hasMcpServers(owner: AgentExtensionOwner): Promise<boolean> {
    return hasAccountAgentExtensions(this.#fork(), owner, "mcp");
  }

  async listMcpServerNames(
    owner: AgentExtensionOwner,
  ): Promise<readonly Pick<AgentMcpServer, "id" | "name">[]> {
    const rows = await findAgentExtensions(this.#fork(), owner, { kind: "mcp", columns: ["name"] });
    return rows.map(({ id, name }) => ({ id, name: name ?? undefined }));
  }

  async findMcpServer(owner: AgentExtensionOwner, id: string): Promise<AgentMcpServer | undefined> {
    const query = { kind: "mcp", columns: serverColumns, ids: [id] } as const;
    const [row] = await findAgentExtensions(this.#fork(), owner, query);
    return row && this.#toMcpServer(row);
  }

  async listSkillNames(
    owner: AgentExtensionOwner,
  ): Promise<readonly Pick<AgentSkill, "id" | "name">[]> {
    const em = this.#fork();
    // The same skills that a turn is offered: others change the names by which they are read.
    const taken = takeBytes(await listAgentExtensionSizes(em, owner, skillsQuery));
    const query = { kind: "skills", columns: ["name"], ids: taken.map(({ id }) => id) } as const;
    const rows = await findAgentExtensions(em, owner, query);
    return rows.map(({ id, name }) => ({ id, name: name ?? "" }));
  }

  findSkillText(
    owner: AgentExtensionOwner,
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
    owner: AgentExtensionOwner,
    query: AgentExtensionQuery,
    hold: MemoryReserver,
    take: (sizes: readonly AgentExtensionSize[]) => readonly AgentExtensionSize[],
  ): Promise<LoadedItems> {
    const em = this.#fork();
    const sizes = await listAgentExtensionSizes(em, owner, query);
    const taken = take(sizes);
    if (taken.length === 0) return { rows: [], omitted: sizes.length };
    hold(taken.reduce((sum, { bytes }) => sum + bytes, 0));
    const rows = await findAgentExtensions(em, owner, { ...query, ids: taken.map(({ id }) => id) });
    return { rows, omitted: sizes.length - taken.length };
  }

  #toMcpServer({
    id,
    name,
    url,
    headers = null,
    tools,
    approval,
  }: AgentExtensionRow): AgentMcpServer {
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
  readonly rows: readonly AgentExtensionRow[];
  /** How many a turn does not take. */
  readonly omitted: number;
}

/** The first items that fit. */
function takeBytes(sizes: readonly AgentExtensionSize[]): readonly AgentExtensionSize[] {
  let room = maxTurnItemBytes;
  const end = sizes.findIndex(({ bytes }) => (room -= bytes) < 0);
  return end === -1 ? sizes : sizes.slice(0, end);
}

function takeServers(sizes: readonly AgentExtensionSize[]): readonly AgentExtensionSize[] {
  return sizes.slice(0, maxMcpServersPerTurn);
}

function toAgentSkill({ id, name, description }: AgentExtensionRow): AgentSkill {
  return { id, name: name ?? "", description: description ?? "" };
}

function headerBytes({ headers }: AgentExtensionRow): number {
  return headers?.length ?? 0;
}
