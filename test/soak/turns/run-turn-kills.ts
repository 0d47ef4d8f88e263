import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "../../support/seeded-random.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { maxCrashedModelCallsPerStep } from "../../../src/turn/step-record.ts";
import { turnLeaseSeconds } from "../../../src/turn/turn-statements.ts";
import { selectRows } from "../../support/select-rows.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { turnLedgerMismatches, readTurnLedger } from "./audit-turns.ts";
import {
  callTurn,
  replayTurn,
  statusOf,
  withoutKeepAlives,
  type CalledTurn,
  type TurnCaller,
} from "./turn-caller.ts";
import { repeatedMoves } from "./turn-tools.ts";
import { readTakeovers } from "./read-takeovers.ts";
import { openTurnEnvironment, type TurnEnvironment } from "./turn-environment.ts";

export interface TurnKillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** The answers are those of agents, which call tools. */
  readonly agents: boolean;
  readonly say: (text: string) => void;
}

/** What a run found. */
export interface TurnKillsOutcome {
  /** What was promised and not kept, in words. */
  readonly broken: readonly string[];
  readonly turns: number;
  /** Calls that the tools have seen. */
  readonly toolCalls: number;
  /** Milliseconds from a kill to the start of a turn's next run at another process, in order. */
  readonly takeoversMs: readonly number[];
  /** The same of kills at which no other process held a turn, nor had for longer than a lease. */
  readonly idleTakeoversMs: readonly number[];
}

/** Processes that live at a time. */
const processes = 3;

const turnsOfKill = 3;

/** Every so many kills all processes but the one that is killed are idle. */
const idleEvery = 3;

/** So long after the last turn a process has looked, seen no lease, and gone to sleep. */
const asleepMs = 1000 * turnLeaseSeconds + 700;

/** By then every turn has ended, however often its processes died. */
const endedMs = 60_000;

const grantedUsd = 1000;

/**
 * Kills processes of an installation at random instants while they make answers in the
 * background; the killed stay dead, others take their place.
 */
export async function runTurnKills(options: TurnKillsOptions): Promise<TurnKillsOutcome> {
  const ground = await openTurnEnvironment();
  try {
    const run = new TurnKills(options, ground);
    await run.open();
    for (let kill = 1; kill <= options.kills; kill += 1) await run.kill(kill);
    return await run.finish();
  } finally {
    await ground.close();
  }
}

class TurnKills {
  readonly #options: TurnKillsOptions;
  readonly #ground: TurnEnvironment;
  readonly #random: SeededRandom;
  readonly #servers: ServerProcess[] = [];
  readonly #turns: CalledTurn[] = [];
  /** Milliseconds since the epoch; `#idleKills` are those of them at which others were idle. */
  readonly #killedAt: number[] = [];
  readonly #idleKills = new Set<number>();
  readonly #broken: string[] = [];
  #caller: TurnCaller = { key: "", byoModel: "", isAgent: false };
  #accountId = "";

  constructor(options: TurnKillsOptions, ground: TurnEnvironment) {
    this.#options = options;
    this.#ground = ground;
    this.#random = new SeededRandom(options.seed);
  }

  async open(): Promise<void> {
    for (let index = 0; index < processes; index += 1) {
      this.#servers.push(await this.#ground.startServer());
    }
    const [server] = this.#servers;
    if (server === undefined) throw new Error("No server was started.");
    const user = await server.createUser();
    this.#accountId = user.id;
    const credits = { token: server.adminToken, body: { amount_usd: grantedUsd } };
    await server.call("POST", `/v1/admin/users/${user.id}/credits`, credits);
    const { baseUrl: base_url } = this.#ground.upstream;
    const body = { label: "Turns", base_url, api_key: "own", dialect: "dialect_chat" };
    const made = await server.call("POST", "/v1/upstreams", { token: user.session, body });
    const { slug } = made.body["upstream"] as { slug: string };
    const item = { kind: "mcp", name: "Counted", url: this.#ground.tools.url };
    await server.call("POST", "/v1/items", { token: user.session, body: item });
    const limits = { rate_limit: { requests_per_minute: 1_000_000, burst: 100_000 } };
    const { secret } = await user.createKey(limits);
    const { agents: isAgent } = this.#options;
    this.#caller = { key: secret, byoModel: `custom/${slug}/m`, isAgent };
  }

  /** Some turns begin, and one process is killed in the middle of them. */
  async kill(number: number): Promise<void> {
    const isIdle = number % idleEvery === 0 && (await this.#fallAsleep());
    const at = this.#random.between(0, processes - 1);
    for (let index = 0; index < turnsOfKill; index += 1) {
      this.#begin(isIdle ? at : this.#random.between(0, processes - 1));
    }
    await delay(this.#random.between(0, 900));
    const [victim] = this.#servers.splice(at, 1);
    if (victim === undefined) throw new Error("There was nobody to kill.");
    const killedAt = Date.now();
    this.#killedAt.push(killedAt);
    victim.process.signal("SIGKILL");
    // The leases of the killed one stand until they run out.
    if (isIdle && (await this.#holders()) === 1) this.#idleKills.add(killedAt);
    this.#servers.push(await this.#ground.startServer());
    if (number % 20 === 0) this.#options.say(`${number} kills, ${this.#turns.length} turns`);
  }

  async finish(): Promise<TurnKillsOutcome> {
    const told = this.#turns.filter(({ id }) => id !== undefined);
    for (const turn of told) {
      await this.#awaitEnd(turn);
      await this.#compare(turn);
    }
    await this.#readBooks(told);
    this.#broken.push(...repeatedMoves(this.#ground.tools.calls));
    const toolCalls = this.#ground.tools.calls.length;
    const takeovers = await readTakeovers(this.#ground.databaseUrl, this.#killedAt);
    const ofIdle = takeovers.filter(({ killedAt }) => this.#idleKills.has(killedAt));
    return {
      broken: this.#broken,
      turns: told.length,
      toolCalls,
      takeoversMs: takeovers.map(({ waitedMs }) => waitedMs),
      idleTakeoversMs: ofIdle.map(({ waitedMs }) => waitedMs),
    };
  }

  /** Waits until no turn runs and every process sleeps; false: one runs for too long. */
  async #fallAsleep(): Promise<boolean> {
    const hasNone = async (): Promise<boolean> => (await this.#holders()) === 0;
    const isQuiet = await waitUntil(hasNone, endedMs).then(
      () => true,
      () => false,
    );
    await delay(asleepMs);
    return isQuiet && (await hasNone());
  }

  /** Processes that hold turns, dead ones included; a turn that waits counts as one. */
  async #holders(): Promise<number> {
    const [row] = await selectRows(
      this.#ground.databaseUrl,
      `select count(distinct coalesce("claimed_by", ''))::int as "holders" from "absurd"."r_turns"
       where "state" in ('pending', 'running')`,
    );
    return Number(row?.["holders"]);
  }

  #begin(at: number): void {
    const server = this.#servers[at];
    if (server === undefined) throw new Error("There is no server.");
    this.#turns.push(callTurn(server, this.#caller, this.#turns.length + 1));
  }

  async #awaitEnd({ number, id = "" }: CalledTurn): Promise<void> {
    const { key } = this.#caller;
    let status = "";
    const hasEnded = async (): Promise<boolean> => {
      status = await statusOf(this.#server(number), key, id).catch(String);
      return ["completed", "incomplete", "failed", "cancelled"].includes(status);
    };
    await waitUntil(hasEnded, endedMs).catch(() => undefined);
    // Nobody kills a turn so often but a campaign, and then it is to fail.
    if (status === "failed" && (await this.#lostCalls(id)) >= maxCrashedModelCallsPerStep) return;
    if (status !== "completed") this.#broken.push(`turn ${number} (${id}) is ${status}`);
  }

  async #lostCalls(id: string): Promise<number> {
    const sql = `select count(*)::int as "lost" from "calls" where "turn" = $1 and "status" = 499`;
    const [row] = await selectRows(this.#ground.databaseUrl, sql, id);
    return Number(row?.["lost"]);
  }

  /** What its caller received is a prefix of what every process replays, byte by byte. */
  async #compare({ number, id = "", received }: CalledTurn): Promise<void> {
    const { key } = this.#caller;
    const replay = await replayTurn(this.#server(number), key, id);
    const again = await replayTurn(this.#server(number + 1), key, id);
    if (replay !== again) this.#broken.push(`turn ${number} is replayed in two ways`);
    if (!replay.startsWith(withoutKeepAlives(received))) {
      this.#broken.push(`turn ${number} received what is not replayed`);
    }
  }

  async #readBooks(told: readonly CalledTurn[]): Promise<void> {
    const { databaseUrl, upstream } = this.#ground;
    const granted = BigInt(grantedUsd) * 1_000_000_000n;
    const read = async (): Promise<readonly string[]> => {
      const books = await readTurnLedger(databaseUrl, this.#accountId);
      return turnLedgerMismatches(told, upstream.dials, books, granted);
    };
    const isRight = async (): Promise<boolean> => (await read()).length === 0;
    // What was reserved and never noted is held for a minute, and swept a quarter later.
    await waitUntil(isRight, 90_000).catch(() => undefined);
    this.#broken.push(...(await read()));
  }

  #server(number: number): ServerProcess {
    const server = this.#servers[number % processes];
    if (server === undefined) throw new Error("There is no server.");
    return server;
  }
}
