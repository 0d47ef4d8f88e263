import { setTimeout as delay } from "node:timers/promises";
import { markdown } from "../bench/report/table.ts";
import { expireLeases } from "../process/support/ledger-rows.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openAccount, type Account } from "./account.ts";
import { auditCalls, type Audit } from "./accounts/audit-calls.ts";
import type { LedgerRow } from "./accounts/ledger-rows.ts";
import { openSoakEnvironment, type SoakEnvironment } from "./environment.ts";
import { Load } from "./load.ts";
import type { ManagementOutcome } from "./management.ts";
import { ledgerMismatches, ledgerTable } from "./report/ledger.ts";
import { brokenAnswers } from "./report/failures.ts";
import { SeededRandom } from "../support/seeded-random.ts";

export interface KillsOptions {
  readonly kills: number;
  readonly callers: number;
  readonly seed: number;
  /** Model calls that a process has ended at most when it is killed. */
  readonly callsOfLife: number;
  /** One process in so many lives until it has swept behind the dead ones, and one more in the end; undefined: none. */
  readonly sweepEvery?: number;
  readonly say: (text: string) => void;
}

/** By then a process has swept, which it does every 15 s. */
const sweptMs = 17_000;

/**
 * Kills a server in the middle of its work again and again, starts it on the same
 * data directory, and reads the books each time. Resolves with what was promised
 * and not kept, in words.
 */
export async function runKills(options: KillsOptions): Promise<readonly string[]> {
  const ground = await openSoakEnvironment(false);
  try {
    const run = new KillsRun(options, ground);
    for (let kill = 1; kill <= options.kills; kill += 1) await run.serveAndKill(kill);
    return await run.finish();
  } finally {
    await ground.close();
  }
}

class KillsRun {
  readonly #options: KillsOptions;
  readonly #ground: SoakEnvironment;
  readonly #random: SeededRandom;
  readonly #kills: number[] = [];
  readonly #managed: ManagementOutcome[] = [];
  readonly #broken = new Set<string>();
  #account: Account | undefined;

  constructor(options: KillsOptions, ground: SoakEnvironment) {
    this.#options = options;
    this.#ground = ground;
    this.#random = new SeededRandom(options.seed);
  }

  /** Starts a process, has it serve for a while, kills it and reads the books. */
  async serveAndKill(number: number): Promise<void> {
    const { callers, seed, callsOfLife, sweepEvery = Infinity } = this.#options;
    const { book } = this.#ground;
    const server = await this.#ground.startServer();
    this.#account ??= await openAccount(server, this.#ground.upstreams);
    const { url } = server;
    const account = this.#account;
    const load = new Load({ url, account, book, callers, seed: seed + number, thinkMs: 30 });
    const isToSweep = number % sweepEvery === 0;
    if (isToSweep) await delay(sweptMs);
    const ended = this.#random.between(0, callsOfLife);
    await waitUntil(() => load.ended >= ended, 120_000);
    await delay(this.#random.between(0, 100));
    this.#kills.push(Date.now());
    server.process.signal("SIGKILL");
    await server.process.ended();
    await load.stop();
    this.#managed.push(...load.managed);
    await this.#readBooks(number, isToSweep);
  }

  /** Reads the books for good, and tells what is in them. */
  async finish(): Promise<readonly string[]> {
    const audit = await this.#lastAudit();
    const { all } = this.#ground.book;
    this.#break(ledgerMismatches(audit));
    this.#break(brokenAnswers(all, this.#managed));
    this.#options.say(`\n${this.#kills.length} kills.\n\n${markdown(ledgerTable(all, audit))}`);
    return [...this.#broken];
  }

  /** The server is started once more, which is to end what is left; without, only the killed may hold something. */
  async #lastAudit(): Promise<Audit> {
    if (this.#options.sweepEvery === undefined) return { ...(await this.#audit()), held: 0 };
    const server = await this.#ground.startServer();
    const isSwept = async () => (await this.#audit()).held === 0;
    await waitUntil(isSwept, 2 * sweptMs).catch(() => undefined);
    await server.stop();
    return this.#audit();
  }

  /**
   * Reserves of the dead are held for a minute, and as long as nobody sweeps; the minute
   * is let pass, and what was left by those before is to be gone when this one has swept.
   */
  async #readBooks(number: number, hasSwept: boolean): Promise<void> {
    const audit = await this.#audit();
    const oldest = (this.#kills.at(-1) ?? 0) - sweptMs;
    const held = audit.rows.filter(({ state }) => state === "held");
    const isLeft = ({ number }: LedgerRow): boolean =>
      hasSwept && (this.#ground.book.find(number)?.startedAt ?? 0) < oldest;
    const unswept = held.filter(isLeft);
    const broken = ledgerMismatches({ ...audit, held: unswept.length });
    this.#break(broken);
    await expireLeases(
      this.#ground.databaseUrl,
      held.map(({ reserved }) => String(reserved)),
    );
    const { say } = this.#options;
    const calls = this.#ground.book.all.length;
    say(
      `kill ${number}: ${calls} calls so far, ${held.length} held, ${broken.length} promises broken`,
    );
  }

  #break(promises: readonly string[]): void {
    for (const text of promises) this.#broken.add(text);
  }

  #audit(): Promise<Audit> {
    const { databaseUrl, book } = this.#ground;
    const { id: accountId = "", grantedNano = 0n } = this.#account ?? {};
    return auditCalls({ databaseUrl, accountId, grantedNano, calls: book.all, kills: this.#kills });
  }
}
