import type { CallableEndpoint } from "../kernel/callable-endpoint.ts";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { authStyleOf } from "../platform/endpoint/credential-headers.ts";
import type { ProbeBudget } from "../platform/endpoint/probe-budget.ts";
import { askForModels } from "../platform/endpoint/probe-endpoint.ts";
import { ApiError } from "../platform/errors.ts";
import type { Warm } from "../platform/warm.ts";

/** Endpoints that wait to be asked; beyond, none is: a call finds out. */
const waitingAtMost = 200;

export interface RestingEndpointDependencies {
  readonly find: (accountId: string, slug: string) => Warm<CallableEndpoint | undefined>;
  readonly dialer: Dialer;
  readonly budget: ProbeBudget;
  readonly background: Pick<BackgroundTasks, "run">;
  /** Whether it rests still. */
  readonly rests: (accountId: string, slug: string) => boolean;
  /** It has answered. */
  readonly answered: (accountId: string, slug: string) => void;
}

/**
 * Asks custom endpoints that rest for their models, once in a rest and in the middle of it: one
 * that answers again has calls again. What it lists is not kept, and no call is made.
 */
export class RestingEndpoints {
  readonly #dependencies: RestingEndpointDependencies;
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  constructor(dependencies: RestingEndpointDependencies) {
    this.#dependencies = dependencies;
  }

  /** An endpoint rests from now on for so long. */
  askInRest(accountId: string, slug: string, restMs: number): void {
    const key = `${accountId} ${slug}`;
    if (this.#waiting.has(key) || this.#waiting.size >= waitingAtMost) return;
    const ask = (): void => {
      const asked = this.#dependencies.background.run("asking an endpoint that rests", () =>
        this.#ask(accountId, slug, restMs / 2),
      );
      void asked.finally(() => this.#waiting.delete(key));
    };
    this.#waiting.set(key, setTimeout(ask, restMs / 2).unref());
  }

  close(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
  }

  async #ask(accountId: string, slug: string, timeoutMs: number): Promise<void> {
    const { find, dialer, budget, rests, answered } = this.#dependencies;
    if (!rests(accountId, slug)) return;
    const endpoint = await find(accountId, slug);
    if (endpoint === undefined || !(await hasBudget(budget, accountId))) return;
    const { baseUrl, poolKey, apiKey: credential, headers, models, dialect } = endpoint;
    const target = { baseUrl, poolKey, credential, headers, model: models[0], timeoutMs };
    const { fault } = await askForModels(dialer, target, {
      dialect,
      authStyle: authStyleOf(dialect),
    });
    if (fault === undefined || hasNoList(fault)) answered(accountId, slug);
  }
}

async function hasBudget(budget: ProbeBudget, accountId: string): Promise<boolean> {
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
