import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";
import type { Account } from "./account.ts";
import type { CallRegister } from "./call.ts";
import { makeCall } from "./caller.ts";
import { Management, type ManagementOutcome } from "./management.ts";
import { planCall } from "./plan-call.ts";
import { SeededRandom } from "../support/seeded-random.ts";

export interface LoadOptions {
  readonly url: string;
  readonly account: Account;
  readonly book: CallRegister;
  readonly callers: number;
  readonly seed: number;
  /** Milliseconds that a caller thinks at most before its next call. */
  readonly thinkMs: number;
}

/** One call in so many is one of management. */
const managementShare = 0.12;

/** Callers that call one after the other, each with random numbers of its own, until they are stopped. */
export class Load {
  /** What became of management calls. */
  readonly managed: ManagementOutcome[] = [];
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ connections: 256, pipelining: 1 });
  readonly #management: Management;
  readonly #callers: readonly Promise<void>[];
  #isStopped = false;
  #ended = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { url, account } = options;
    const [{ session }, [key = ""]] = [account, account.keys];
    this.#management = new Management({ url, session, key, dispatcher: this.#agent });
    this.#callers = Array.from({ length: options.callers }, (_none, index) => this.#run(index));
  }

  /** Model calls that have ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Waits for the calls that are under way, and closes the callers' connections. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#callers);
    this.#management.close();
    await this.#agent.destroy();
  }

  async #run(index: number): Promise<void> {
    const { url, account, book, seed, thinkMs } = this.#options;
    const random = new SeededRandom(seed * 1009 + index);
    const key = account.keys[index % account.keys.length] ?? "";
    const caller = { url, key, dispatcher: this.#agent, slug: account.slug };
    while (!this.#isStopped) {
      if (random.next() < managementShare) {
        this.managed.push(await this.#management.call(random));
      } else {
        await makeCall(caller, book.open(planCall(random)));
        this.#ended += 1;
      }
      await delay(random.between(0, thinkMs));
    }
  }
}
