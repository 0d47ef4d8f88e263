import type { Principal } from "./principal.ts";
import { toRateLimitNetwork } from "./rate-limit/address-limit.ts";

/** Whose a body is: an account, the operator, or the network of a caller without a credential. */
export interface RequestBodyMemoryOwner {
  readonly id: string;
  readonly hasCredential: boolean;
}

/** Returns the holder of a caller's bodies. All keys and sessions of an account are one. */
export function resolveRequestBodyMemoryOwner(
  principal: Principal | undefined,
  address: string,
): RequestBodyMemoryOwner {
  switch (principal?.kind) {
    case "key":
    case "session":
      return createAccountBodyMemoryOwner(principal.accountId);
    case "operator":
      return operatorHolder;
    default:
      return { id: toRateLimitNetwork(address), hasCredential: false };
  }
}

/** Returns the holder that an account is. */
export function createAccountBodyMemoryOwner(accountId: string): RequestBodyMemoryOwner {
  return { id: accountId, hasCredential: true };
}

const operatorHolder: RequestBodyMemoryOwner = { id: "operator", hasCredential: true };
