import type { TargetCooldown } from "../../domain/target-cooldown.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlannedCallTarget } from "./plan.ts";
import { TargetHealth, type CooldownStartListener } from "./pooled-target.ts";

/** Of all accounts; beyond, those that were asked for longest ago are forgotten. */
const maxTargets = 20_000;

export interface TargetHealthMapDependencies {
  readonly clock: Clock;
  readonly maxTargets?: number;
  /** Nobody by default. */
  readonly onCooldown?: CooldownStartListener;
}

/** The targets of all aliases with several of them, as one process knows them: by account, by who pays, by model. */
export class TargetHealthMap {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #onCooldown: CooldownStartListener;
  /** Those that were asked for longest ago first. */
  readonly #targets = new Map<string, TargetHealth>();

  constructor({
    clock,
    maxTargets: most = maxTargets,
    onCooldown: cameToRest = () => undefined,
  }: TargetHealthMapDependencies) {
    this.#clock = clock;
    this.#most = most;
    this.#onCooldown = cameToRest;
  }

  get(
    accountId: string,
    { route, canonicalId }: Pick<PlannedCallTarget, "route" | "canonicalId">,
  ): TargetHealth {
    const key = `${accountId} ${route} ${canonicalId}`;
    const target = this.#targets.get(key) ?? this.#make(accountId, canonicalId);
    this.#targets.delete(key);
    this.#targets.set(key, target);
    if (this.#targets.size > this.#most) this.#forgetOldest();
    return target;
  }

  /** Of the account's custom endpoints those that rest, by slug: the rest that ends last. */
  endpointsInCooldown(accountId: string): ReadonlyMap<string, TargetCooldown> {
    const rests = new Map<string, TargetCooldown>();
    for (const target of this.#targets.values()) {
      const slug = target.accountId === accountId ? findTargetEndpointSlug(target) : undefined;
      const { cooldown: rest } = target;
      if (slug === undefined || rest === undefined) continue;
      if ((rests.get(slug)?.until ?? 0) < rest.until) rests.set(slug, rest);
    }
    return rests;
  }

  /** A custom endpoint has answered to something else than a call. */
  endCooldownOf(accountId: string, slug: string): void {
    for (const target of this.#targets.values()) {
      if (target.accountId === accountId && findTargetEndpointSlug(target) === slug)
        target.onAnswered();
    }
  }

  #make(accountId: string, canonicalId: string): TargetHealth {
    return new TargetHealth(accountId, canonicalId, this.#clock, this.#onCooldown);
  }

  #forgetOldest(): void {
    const [oldest = ""] = this.#targets.keys();
    this.#targets.delete(oldest);
  }
}

const customPattern = /^custom\/([^/]+)\//;

/** Slug of the custom endpoint that has the model of a target; undefined: a vendor has it. */
export function findTargetEndpointSlug({
  canonicalId,
}: Pick<TargetHealth, "canonicalId">): string | undefined {
  return customPattern.exec(canonicalId)?.[1];
}
