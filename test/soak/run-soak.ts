import { setTimeout as delay } from "node:timers/promises";
import { markdown } from "../bench/report/table.ts";
import { expireLeases } from "../process/support/ledger-rows.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openAccount, type Account } from "./account.ts";
import { auditCalls, type Audit } from "./accounts/audit-calls.ts";
import { injectDatabaseFaults, injectUpstreamFaults } from "./faults.ts";
import { openSoakEnvironment, type SoakEnvironment } from "./environment.ts";
import { Load } from "./load.ts";
import type { ManagementOutcome } from "./management.ts";
import { sampleProcess } from "./process-samples.ts";
import { ProcessWatch } from "./process-watch.ts";
import { ledgerMismatches, ledgerTable } from "./report/ledger.ts";
import { brokenAnswers, tableOfErrors } from "./report/failures.ts";
import { loggedFaults } from "./report/logged-faults.ts";
import { brokenBounds, tableOfProcess, type ProcessResources } from "./report/process-resources.ts";
import { SeededRandom } from "../support/seeded-random.ts";

export interface SoakOptions {
  readonly minutes: number;
  readonly callers: number;
  readonly seed: number;
  readonly say: (text: string) => void;
}

/** The first process is killed when it has served this share of the time. */
const firstLife = 1 / 6;

const thinkMs = 500;

/** Pools of connections close what is idle by then. */
const idleMs = 90_000;

/**
 * Runs mixed calls for so long while everything around the server fails in turn, and
 * prints what became of them. Resolves with what was promised and not kept, in words.
 */
export async function runSoak(options: SoakOptions): Promise<readonly string[]> {
  const ground = await openSoakEnvironment(true);
  try {
    return await new SoakRun(options, ground).run();
  } finally {
    await ground.close();
  }
}

class SoakRun {
  readonly #options: SoakOptions;
  readonly #ground: SoakEnvironment;
  readonly #kills: number[] = [];
  readonly #managed: ManagementOutcome[] = [];
  readonly #servers: ServerProcess[] = [];
  #account: Account | undefined;

  constructor(options: SoakOptions, ground: SoakEnvironment) {
    this.#options = options;
    this.#ground = ground;
  }

  async run(): Promise<readonly string[]> {
    const milliseconds = this.#options.minutes * 60_000;
    await this.#serveUntilKilled(milliseconds * firstLife);
    const held = await this.#serveDisturbed(milliseconds * (1 - firstLife));
    const audit = await this.#settledAudit();
    return this.#report(audit, held);
  }

  async #serveUntilKilled(milliseconds: number): Promise<void> {
    const server = await this.#start();
    this.#account = await openAccount(server, this.#ground.upstreams);
    const load = this.#load(server, this.#options.seed);
    await delay(milliseconds);
    this.#kills.push(Date.now());
    server.process.signal("SIGKILL");
    await server.process.ended();
    await this.#stop(load);
    this.#options.say(`killed after ${this.#ground.book.all.length} calls`);
  }

  async #serveDisturbed(milliseconds: number): Promise<ProcessResources> {
    const { upstreams, proxy } = this.#ground;
    const server = await this.#start();
    const { pid } = server.process;
    const start = sampleProcess(pid);
    const watch = new ProcessWatch(pid);
    const load = this.#load(server, this.#options.seed + 1);
    const over = new AbortController();
    const random = new SeededRandom(this.#options.seed);
    const outages = injectUpstreamFaults(upstreams, random, over.signal);
    const absences = proxy && injectDatabaseFaults(proxy, milliseconds);
    await Promise.all([delay(milliseconds), absences]);
    watch.stop();
    over.abort();
    this.#options.say(`upstreams were killed ${await outages} times`);
    await this.#stop(load);
    const sockets = (start.sockets ?? 0) + 1;
    const isIdle = () => (sampleProcess(pid).sockets ?? 0) <= sockets;
    await waitUntil(isIdle, idleMs).catch(() => undefined);
    return { start, end: sampleProcess(pid), samples: watch.samples };
  }

  async #start(): Promise<ServerProcess> {
    const server = await this.#ground.startServer();
    this.#servers.push(server);
    return server;
  }

  #load({ url }: ServerProcess, seed: number): Load {
    const account = this.#account;
    if (account === undefined) throw new Error("There is no account yet.");
    const { callers } = this.#options;
    return new Load({ url, account, book: this.#ground.book, callers, seed, thinkMs });
  }

  async #stop(load: Load): Promise<void> {
    await load.stop();
    this.#managed.push(...load.managed);
  }

  /** The minute is let pass for what the killed process held; then a sweep, which comes every 15 s, ends it. */
  async #settledAudit(): Promise<Audit> {
    const { rows } = await this.#audit();
    const held = rows.filter(({ state }) => state === "held");
    await expireLeases(
      this.#ground.databaseUrl,
      held.map(({ reserved }) => String(reserved)),
    );
    const isSettled = async () => ledgerMismatches(await this.#audit()).length === 0;
    await waitUntil(isSettled, 20_000).catch(() => undefined);
    return this.#audit();
  }

  #audit(): Promise<Audit> {
    const { databaseUrl, book } = this.#ground;
    const { id: accountId = "", grantedNano = 0n } = this.#account ?? {};
    return auditCalls({ databaseUrl, accountId, grantedNano, calls: book.all, kills: this.#kills });
  }

  #report(audit: Audit, held: ProcessResources): readonly string[] {
    const { all } = this.#ground.book;
    const { say } = this.#options;
    say(`\n${markdown(ledgerTable(all, audit))}`);
    say(`\n${markdown(tableOfProcess(held))}`);
    say(`\n${markdown(tableOfErrors(all, this.#managed))}`);
    return [
      ...ledgerMismatches(audit),
      ...brokenBounds(held),
      ...brokenAnswers(all, this.#managed),
      ...this.#servers.flatMap(({ process }) => loggedFaults(process.stderr)),
      ...(this.#servers.at(-1)?.process.hasExited === true
        ? ["the server has ended by itself"]
        : []),
    ];
  }
}
