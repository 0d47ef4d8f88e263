import type { Clock } from "../../platform/clock.ts";
import type { Plan } from "./plan.ts";
import { PooledTarget } from "./pooled-target.ts";

/** Of all accounts; beyond, those that were asked for longest ago are forgotten. */
const targetsAtMost = 20_000;

/** The targets of all aliases with several of them, as one process knows them: by account, by who pays, by model. */
export class PooledTargets {
  readonly #clock: Clock;
  readonly #most: number;
  /** Those that were asked for longest ago first. */
  readonly #targets = new Map<string, PooledTarget>();

  constructor(clock: Clock, most: number = targetsAtMost) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#targets.size;
  }

  of(accountId: string, { route, canonicalId }: Pick<Plan, "route" | "canonicalId">): PooledTarget {
    const key = `${accountId} ${route} ${canonicalId}`;
    const target = this.#targets.get(key) ?? new PooledTarget(canonicalId, this.#clock);
    this.#targets.delete(key);
    this.#targets.set(key, target);
    if (this.#targets.size > this.#most) this.#forgetOldest();
    return target;
  }

  #forgetOldest(): void {
    const [oldest = ""] = this.#targets.keys();
    this.#targets.delete(oldest);
  }
}
