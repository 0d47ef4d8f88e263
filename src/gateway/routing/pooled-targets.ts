import type { TargetRest } from "../../kernel/target-rest.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Plan } from "./plan.ts";
import { PooledTarget, type CameToRest } from "./pooled-target.ts";

/** Of all accounts; beyond, those that were asked for longest ago are forgotten. */
const targetsAtMost = 20_000;

export interface PooledTargetsDependencies {
  readonly clock: Clock;
  readonly most?: number;
  /** Nobody by default. */
  readonly cameToRest?: CameToRest;
}

/** The targets of all aliases with several of them, as one process knows them: by account, by who pays, by model. */
export class PooledTargets {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #cameToRest: CameToRest;
  /** Those that were asked for longest ago first. */
  readonly #targets = new Map<string, PooledTarget>();

  constructor({
    clock,
    most = targetsAtMost,
    cameToRest = () => undefined,
  }: PooledTargetsDependencies) {
    this.#clock = clock;
    this.#most = most;
    this.#cameToRest = cameToRest;
  }

  of(accountId: string, { route, canonicalId }: Pick<Plan, "route" | "canonicalId">): PooledTarget {
    const key = `${accountId} ${route} ${canonicalId}`;
    const target = this.#targets.get(key) ?? this.#make(accountId, canonicalId);
    this.#targets.delete(key);
    this.#targets.set(key, target);
    if (this.#targets.size > this.#most) this.#forgetOldest();
    return target;
  }

  /** Of the account's custom endpoints those that rest, by slug: the rest that ends last. */
  restingEndpoints(accountId: string): ReadonlyMap<string, TargetRest> {
    const rests = new Map<string, TargetRest>();
    for (const target of this.#targets.values()) {
      const slug = target.accountId === accountId ? slugOf(target) : undefined;
      const { rest } = target;
      if (slug === undefined || rest === undefined) continue;
      if ((rests.get(slug)?.until ?? 0) < rest.until) rests.set(slug, rest);
    }
    return rests;
  }

  /** A custom endpoint has answered to something else than a call. */
  endpointAnswered(accountId: string, slug: string): void {
    for (const target of this.#targets.values()) {
      if (target.accountId === accountId && slugOf(target) === slug) target.answered();
    }
  }

  #make(accountId: string, canonicalId: string): PooledTarget {
    return new PooledTarget(accountId, canonicalId, this.#clock, this.#cameToRest);
  }

  #forgetOldest(): void {
    const [oldest = ""] = this.#targets.keys();
    this.#targets.delete(oldest);
  }
}

const customForm = /^custom\/([^/]+)\//;

/** Slug of the custom endpoint that has the model of a target; undefined: a vendor has it. */
export function slugOf({ canonicalId }: Pick<PooledTarget, "canonicalId">): string | undefined {
  return customForm.exec(canonicalId)?.[1];
}
