import type { CallableCustomEndpoint } from "../domain/callable-endpoint.ts";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { defaultUpstreamAuthStyle } from "../platform/endpoint/credential-headers.ts";
import type { AccountProbeRateLimiter } from "../platform/endpoint/probe-budget.ts";
import { probeEndpointModelList } from "../platform/endpoint/probe-endpoint.ts";
import { ApiError } from "../platform/errors.ts";
import type { MaybePromise } from "../platform/maybe-promise.ts";

/** Endpoints that wait to be asked; beyond, none is: a call finds out. */
const maxPending = 200;

export interface CooldownProberDependencies {
  readonly find: (
    accountId: string,
    slug: string,
  ) => MaybePromise<CallableCustomEndpoint | undefined>;
  readonly dialer: Dialer;
  readonly budget: AccountProbeRateLimiter;
  readonly background: Pick<BackgroundTasks, "run">;
  /** Whether it rests still. */
  readonly cooldowns: (accountId: string, slug: string) => boolean;
  /** It has answered. */
  readonly onAnswered: (accountId: string, slug: string) => void;
}

/**
 * Asks custom endpoints that rest for their models, once in a rest and in the middle of it: one
 * that answers again has calls again. What it lists is not kept, and no call is made.
 */
export class CooldownProber {
  readonly #dependencies: CooldownProberDependencies;
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  constructor(dependencies: CooldownProberDependencies) {
    this.#dependencies = dependencies;
  }

  /** An endpoint rests from now on for so long. */
  probeDuringCooldown(accountId: string, slug: string, restMs: number): void {
    const key = `${accountId} ${slug}`;
    if (this.#waiting.has(key) || this.#waiting.size >= maxPending) return;
    const ask = (): void => {
      const asked = this.#dependencies.background.run("asking an endpoint that rests", () =>
        this.#probe(accountId, slug, restMs / 2),
      );
      void asked.finally(() => this.#waiting.delete(key));
    };
    this.#waiting.set(key, setTimeout(ask, restMs / 2).unref());
  }

  close(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
  }

  async #probe(accountId: string, slug: string, timeoutMs: number): Promise<void> {
    const { find, dialer, budget, cooldowns: rests, onAnswered: answered } = this.#dependencies;
    if (!rests(accountId, slug)) return;
    const endpoint = await find(accountId, slug);
    if (endpoint === undefined || !(await hasBudget(budget, accountId))) return;
    const { baseUrl, poolKey, apiKey: credential, headers, models, dialect } = endpoint;
    const target = { baseUrl, poolKey, credential, headers, model: models[0], timeoutMs };
    const { error: fault } = await probeEndpointModelList(dialer, target, {
      dialect,
      authStyle: defaultUpstreamAuthStyle(dialect),
    });
    if (fault === undefined || hasNoList(fault)) answered(accountId, slug);
  }
}

async function hasBudget(budget: AccountProbeRateLimiter, accountId: string): Promise<boolean> {
  try {
    await budget.take(accountId);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** It answers, though with no list: many servers have none. */
function hasNoList(fault: string): boolean {
  return fault === "http_404" || fault === "http_405";
}
