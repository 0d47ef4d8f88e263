import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiError } from "../../src/platform/errors.ts";
import {
  createAccountBodyMemoryOwner,
  resolveRequestBodyMemoryOwner,
  type RequestBodyMemoryOwner,
} from "../../src/platform/body-holder.ts";
import {
  RequestBodyMemoryBudget,
  type HeldRequestBody,
} from "../../src/platform/body-memory-budget.ts";

/** Bytes of all holders together: small, so that it is full soon. */
const whole = 64 * 1024;
const accounts = ["user_a", "user_b", "user_c"].map(createAccountBodyMemoryOwner);
const networks = ["192.0.2.1", "192.0.2.2", "2001:db8::1"].map((address) =>
  resolveRequestBodyMemoryOwner(undefined, address),
);
const holders: readonly RequestBodyMemoryOwner[] = [...accounts, ...networks];

/** The holders that never hold more than their share, and what that is. */
const modest = new Map([
  [accounts[0], Math.floor(whole / holders.length)],
  [networks[0], Math.floor(whole / 4 / networks.length)],
]);

interface Step {
  readonly holder: number;
  readonly kind: "open" | "add" | "finish" | "release";
  readonly body: number;
  readonly bytes: number;
  readonly isDeclared: boolean;
}

const steps = fc.array(
  fc.record({
    holder: fc.nat(holders.length - 1),
    kind: fc.constantFrom("open", "add", "add", "add", "finish", "release"),
    body: fc.nat(20),
    bytes: fc.nat({ max: 12_000 }),
    isDeclared: fc.boolean(),
  }),
  { maxLength: 300, size: "max" },
);

interface TestBody {
  readonly held: HeldRequestBody;
  readonly holder: RequestBodyMemoryOwner;
  /** Bytes that its sender has yet to send; of greedy holders without an end. */
  left: number;
  reason: ApiError | undefined;
}

class Run {
  readonly bodies = new RequestBodyMemoryBudget(whole / 1024 / 1024, { now: () => this.#time++ });
  readonly #open: TestBody[] = [];
  #time = 0;

  take(step: Step): void {
    const holder = holders[step.holder] as RequestBodyMemoryOwner;
    const own = this.#open.filter((body) => body.holder === holder);
    if (step.kind === "open") this.#begin(holder, own, step);
    else this.#goOn(own[step.body % Math.max(1, own.length)], step);
  }

  /** Bytes of the bodies that nobody ended, by our own count. */
  bytesOf(isCounted: (holder: RequestBodyMemoryOwner) => boolean): number {
    return this.#open
      .filter(({ holder }) => isCounted(holder))
      .reduce((sum, { held }) => sum + held.bytes, 0);
  }

  /** Releases what is left, so that no limit of time ends it after the test. */
  end(): void {
    for (const { held } of this.#open.splice(0)) held.release();
  }

  #begin(
    holder: RequestBodyMemoryOwner,
    own: readonly TestBody[],
    { bytes, isDeclared }: Step,
  ): void {
    const share = modest.get(holder);
    if (share !== undefined && own.length > 0) return;
    const left = Math.min(bytes, share ?? bytes);
    const body: TestBody = { held: this.bodies.allocate(holder), holder, left, reason: undefined };
    this.#open.push(body);
    const declared = isDeclared ? left : undefined;
    this.#attempt(body, () =>
      body.held.begin({ declared, onEnd: (reason) => this.#ended(body, reason) }),
    );
  }

  #goOn(body: TestBody | undefined, { kind, bytes }: Step): void {
    if (body === undefined) return;
    const size = modest.has(body.holder) ? Math.min(bytes, body.left) : bytes;
    if (kind === "add") this.#attempt(body, () => body.held.add(size));
    if (kind === "finish") body.held.finish((reason) => this.#ended(body, reason));
    if (kind === "release") {
      body.held.release();
      this.#forget(body);
    }
    body.left -= kind === "add" ? size : 0;
  }

  #attempt(body: TestBody, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ended(body, error as ApiError);
    }
  }

  #ended(body: TestBody, reason: ApiError): void {
    this.#forget(body);
    if (modest.has(body.holder))
      throw new Error(`${body.holder.id} is below its share`, { cause: reason });
  }

  #forget(body: TestBody): void {
    const index = this.#open.indexOf(body);
    if (index !== -1) this.#open.splice(index, 1);
  }
}

describe("room for request bodies", () => {
  it("[limits.held-bodies-fair] is never exceeded, and suffices for every holder below its share", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        using leftovers = new DisposableStack();
        const run = leftovers.adopt(new Run(), (ended) => ended.end());
        for (const step of taken) {
          run.take(step);
          const all = run.bytesOf(() => true);
          const most = Math.max(
            run.bytesOf(({ hasCredential }) => !hasCredential),
            ...holders.map((holder) => run.bytesOf((other) => other === holder)),
          );
          if (run.bodies.all.bytes === all && all <= whole && most <= whole / 4) continue;
          expect.fail(`holds ${run.bodies.all.bytes}, counted ${all}, of one ${most}`);
        }
      }),
      { numRuns: 150 },
    );
  });
});
