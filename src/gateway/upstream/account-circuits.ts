import { CircuitBreaker } from "./circuit-breaker.ts";
import { RetryBudget } from "./retry-budget.ts";

/** Circuit breaker and retry budget of one account at one upstream. */
export interface AccountCircuit {
  readonly breaker: CircuitBreaker;
  readonly retries: RetryBudget;
}

/** Accounts of one upstream that are counted. Beyond them the least recent caller starts again. */
const maxAccounts = 20_000;

/**
 * Circuits of the accounts that call one upstream. The operator's vendors are shared, and a
 * request may make an upstream reset its connection: the failures of one account must not shut
 * out another.
 */
export class CallerAccountCircuits {
  readonly #circuits = new Map<string, AccountCircuit>();

  /** Returns the circuit of an account. Creates it if necessary. */
  get(accountId: string): AccountCircuit {
    const known = this.#circuits.get(accountId);
    const circuit = known ?? { breaker: new CircuitBreaker(), retries: new RetryBudget() };
    // The most recent caller is the last.
    this.#circuits.delete(accountId);
    this.#circuits.set(accountId, circuit);
    if (this.#circuits.size > maxAccounts) {
      const [oldest = ""] = this.#circuits.keys();
      this.#circuits.delete(oldest);
    }
    return circuit;
  }
}
