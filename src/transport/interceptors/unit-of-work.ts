import type { ContextKey, ContextValues, Interceptor } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import { entityManagerKey } from "../../platform/request-context.ts";

/**
 * Gives each call an entity manager of its own, forked when the handler first
 * asks for it: many calls are answered from memory and never do.
 */
export function createEntityManagerForkInterceptor(fork: () => EntityManager): Interceptor {
  return (next) => async (request) => {
    const contextValues = new ForkingValues(request.contextValues, fork);
    return next({ ...request, contextValues });
  };
}

class ForkingValues implements ContextValues {
  readonly #values: ContextValues;
  readonly #fork: () => EntityManager;

  constructor(values: ContextValues, fork: () => EntityManager) {
    this.#values = values;
    this.#fork = fork;
  }

  get<Value>(key: ContextKey<Value>): Value {
    if (key.id === entityManagerKey.id && this.#values.get(entityManagerKey) === undefined) {
      this.#values.set(entityManagerKey, this.#fork());
    }
    return this.#values.get(key);
  }

  set<Value>(key: ContextKey<Value>, value: Value): this {
    this.#values.set(key, value);
    return this;
  }

  delete(key: ContextKey<unknown>): this {
    this.#values.delete(key);
    return this;
  }
}
