import type { Interceptor } from "@connectrpc/connect";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../../platform/keyed-limiter.ts";
import { principalKey } from "../../platform/request-context.ts";

/** Calls of one account that run at a time in a process: fewer than there are connections to the database. */
const maxRunningCalls = 6;

/**
 * Lets a few unary calls of an account run at a time; the next wait in their order, and 1,000 may
 * wait. All accounts share the connections to the database, which the calls of one would
 * otherwise hold for as long as it sends them.
 */
export function createAccountConcurrencyInterceptor(): Interceptor {
  const limiter = new KeyedConcurrencyLimiter(maxRunningCalls, maxWaitingWorkPerAccount);
  return (next) => async (request) => {
    const principal = request.contextValues.get(principalKey);
    if (request.stream || !("accountId" in principal)) return next(request);
    return limiter.run(principal.accountId, () => next(request));
  };
}
