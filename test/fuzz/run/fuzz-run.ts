import fc from "fast-check";
import { casesOf, type Protocol } from "../generators/all-protocols.ts";
import type { Answer, FuzzCase } from "../fuzz-case.ts";
import { Findings, type CasePlace } from "./findings.ts";
import { faultOf, messageIn, requestIdIn, signatureOf, stackSignature } from "./oracle.ts";
import { headOf, type FuzzReport } from "./report.ts";
import { runBatch } from "./run-batch.ts";
import { sendCase } from "./send-case.ts";
import type { ErrorLine, Memory, ServerUnderTest } from "./server-under-test.ts";
import { Tally } from "./tally.ts";
import type { FuzzUpstream } from "./fake-upstream.ts";
import { makeWorld, type World } from "./world.ts";

/** Cases of one batch; a part of what makes a case again, so it is the same in every run. */
export const batchSize = 100;

/** A new user after so many batches: what one account holds stays small. */
const batchesOfWorld = 40;

interface LatestCases {
  readonly place: CasePlace;
  readonly cases: readonly FuzzCase[];
  readonly suspects: readonly number[];
}

interface BadAnswer {
  readonly index: number;
  readonly answer: Answer;
  readonly example: FuzzCase;
  readonly fault: string;
}

export interface FuzzPlan {
  readonly seed: number;
  readonly requests: number;
  readonly protocols: readonly Protocol[];
  readonly concurrency: number;
  /** The run ends when the server has been ended more often. */
  readonly mostKills: number;
  /** In place of all: this batch, or this case of it. */
  readonly only?: CasePlace | undefined;
  say(text: string): void;
}

/** One run against one server, batch after batch, with a look at the server after each. */
export class FuzzRun {
  readonly #plan: FuzzPlan;
  readonly #target: ServerUnderTest;
  readonly #double: FuzzUpstream;
  readonly #findings = new Findings((finding) => this.#plan.say(headOf(finding, this.#plan.seed)));
  readonly #tallies = new Map<Protocol, Tally>();
  #kills = 0;
  /** What was sent last, and may have ended the server. */
  #latest: LatestCases | undefined;
  #world: World | undefined;
  #before: Memory | undefined;

  constructor(plan: FuzzPlan, target: ServerUnderTest, double: FuzzUpstream) {
    this.#plan = plan;
    this.#target = target;
    this.#double = double;
  }

  async run(): Promise<FuzzReport> {
    const startedAt = performance.now();
    const batches = this.#batches();
    const warmUp = Math.min(Math.ceil(batches.length / 4), 70);
    for (const [number, place] of batches.entries()) {
      if (this.#kills > this.#plan.mostKills) break;
      if (number === warmUp) this.#before = await this.#target.memory();
      await this.#runBatch(place, number).catch((error: unknown) => this.#standUp(error));
    }
    const openConnections = await this.#settledConnections();
    const after = await this.#target.memory();
    return {
      tallies: this.#tallies,
      findings: this.#findings.all,
      kills: this.#kills,
      before: this.#before,
      after,
      openConnections,
      seconds: (performance.now() - startedAt) / 1000,
    };
  }

  /** Each protocol in turn. */
  #batches(): CasePlace[] {
    const { only, protocols, requests } = this.#plan;
    if (only !== undefined) return [only];
    const count = Math.ceil(requests / batchSize);
    return Array.from({ length: count }, (_, number) => ({
      protocol: protocols[number % protocols.length] ?? "http1",
      batch: Math.floor(number / protocols.length),
    }));
  }

  async #runBatch(place: CasePlace, number: number): Promise<void> {
    const cases = this.#casesOf(place, await this.#liveWorld(number));
    for (let next = 0; next < cases.length && this.#kills <= this.#plan.mostKills;) {
      const outcome = await runBatch(
        this.#target,
        this.#double,
        cases,
        next,
        this.#plan.concurrency,
      );
      await this.#judge(place, cases, outcome.answers);
      this.#latest = { place, cases, suspects: outcome.suspects };
      next = outcome.next;
      if (this.#target.hasExited) await this.#standUp();
    }
    if (number % 20 === 19)
      this.#plan.say(
        `${(number + 1) * batchSize} requests, ${this.#kills} kills, ${this.#findings.all.length} findings`,
      );
  }

  #casesOf({ protocol, batch, index }: CasePlace, world: World): readonly FuzzCase[] {
    const seed = batchSeed(this.#plan.seed, protocol, batch);
    const cases = fc.sample<FuzzCase>(casesOf[protocol](world), { seed, numRuns: batchSize });
    return index === undefined ? cases : cases.slice(index, index + 1);
  }

  /** Looks at the answers, at the log and at the server. */
  async #judge(
    place: CasePlace,
    cases: readonly FuzzCase[],
    answers: ReadonlyMap<number, Answer>,
  ): Promise<void> {
    const isHealthy = await this.#target.isHealthy();
    const bad = [...answers].flatMap(([index, answer]) => this.#look(place, cases, index, answer));
    await this.#target.hasLogged(bad.flatMap(({ answer }) => requestIdIn(answer) ?? []));
    const lines = this.#target.newErrorLines();
    for (const { index, answer, example, fault } of bad) {
      const line = takeLine(lines, requestIdIn(answer));
      const said = messageIn(answer) || routeOf(example);
      const cause = line === undefined ? `${fault} ${said}` : signatureOf(line);
      const exact = { ...place, index: place.index ?? index };
      this.#findings.add({ place: exact, fault, cause, example });
    }
    for (const line of lines) {
      const fault = `log: ${line.msg ?? ""}`;
      this.#findings.add({ place, fault, cause: signatureOf(line), example: undefined });
    }
    if (!isHealthy && !(await this.#target.hasEnded())) {
      const fault = "/healthz does not answer";
      this.#findings.add({ place, fault, cause: "health", example: undefined });
    }
  }

  /** Counts an answer; one with a fault comes back. */
  #look(place: CasePlace, cases: readonly FuzzCase[], index: number, answer: Answer): BadAnswer[] {
    this.#tallyOf(place).add(answer);
    const example = cases[index];
    const fault = example === undefined ? undefined : faultOf(example, answer);
    return example === undefined || fault === undefined ? [] : [{ index, answer, example, fault }];
  }

  /**
   * Starts the server again and looks for the case that ended it, unless its end is known already.
   * Throws the error that made it look for the server if that still runs.
   */
  async #standUp(error?: unknown): Promise<void> {
    if (this.#latest === undefined || !(await this.#target.hasEnded())) throw error;
    const { place, cases, suspects } = this.#latest;
    this.#kills += 1;
    const cause = stackSignature(await this.#target.restart());
    const isKnown = this.#findings.has(cause);
    const culprit = isKnown ? undefined : await this.#culprit(cases, suspects);
    const example = culprit === undefined ? undefined : cases[culprit];
    const index = place.index ?? culprit;
    const fault = "the process ended";
    this.#findings.add({ place: { ...place, index }, fault, cause, example });
    this.#plan.say(`kill ${this.#kills}: ${cause}`);
  }

  /** Sends the suspects one at a time, the latest first. */
  async #culprit(
    cases: readonly FuzzCase[],
    suspects: readonly number[],
  ): Promise<number | undefined> {
    for (const index of suspects.toReversed()) {
      const suspect = cases[index];
      if (suspect === undefined) continue;
      await sendCase(this.#target, this.#double, suspect);
      if (await this.#target.isHealthy()) continue;
      await this.#target.restart();
      return index;
    }
    return undefined;
  }

  /** Credentials that live: a case may have ended those of the last batch. */
  async #liveWorld(number: number): Promise<World> {
    if (
      this.#world !== undefined &&
      number % batchesOfWorld !== 0 &&
      (await this.#isLive(this.#world))
    ) {
      return this.#world;
    }
    const { call, adminToken } = this.#target;
    this.#world = await makeWorld(call, adminToken, this.#double.origin);
    return this.#world;
  }

  async #isLive({ key, session, callerKey }: World): Promise<boolean> {
    const { call } = this.#target;
    const answers = await Promise.all([
      call("GET", "/v1/models", { token: key }),
      call("GET", "/v1/models", { token: callerKey }),
      call("GET", "/v1/me", { token: session }),
    ]);
    return answers.every(({ status }) => status === 200);
  }

  /** A connection that a case has left is closed within what the server's own limits give it. */
  async #settledConnections(): Promise<number> {
    const deadline = performance.now() + 40_000;
    for (;;) {
      const open = await this.#target.openConnections();
      if (open === 0 || performance.now() > deadline) return open;
    }
  }

  #tallyOf({ protocol }: CasePlace): Tally {
    const known = this.#tallies.get(protocol) ?? new Tally();
    this.#tallies.set(protocol, known);
    return known;
  }
}

/** Differs for each batch of each protocol; a protocol's cases stay the same when others are left out. */
function batchSeed(seed: number, protocol: Protocol, batch: number): number {
  let hash = seed;
  for (const character of `${protocol}:${batch}`) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) % 2 ** 31;
  }
  return hash;
}

function takeLine(lines: ErrorLine[], requestId: string | undefined): ErrorLine | undefined {
  if (requestId === undefined) return undefined;
  const at = lines.findIndex((line) => JSON.stringify(line).includes(requestId));
  return at === -1 ? undefined : lines.splice(at, 1)[0];
}

function routeOf(example: FuzzCase): string {
  if (example.kind === "raw")
    return `${example.reads} ${example.pieces[0]?.toString("latin1", 0, 60).split("\r\n")[0] ?? ""}`;
  return `${example.method} ${example.path.replace(/\?.*$/, "")}`;
}
