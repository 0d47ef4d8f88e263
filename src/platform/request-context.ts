import { createContextKey } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { anonymousPrincipal, type Principal } from "./principal.ts";

/** What the transport knows of a request before the handler runs. */
export interface RequestContext {
  /** Equals the `x-request-id` response header and `request_id` of an error. */
  readonly requestId: string;
  /** Address of the caller, proxies taken off as `CAUSEWAY_TRUSTED_PROXIES` says. */
  readonly address: string;
  readonly log: Logger;
}

export const requestContextKey = createContextKey<RequestContext | undefined>(undefined, {
  description: "request",
});

/** Set by the authenticate interceptor. */
export const principalKey = createContextKey<Principal>(anonymousPrincipal, {
  description: "principal",
});

/** Set by the unit-of-work interceptor: a fork of the request's own. */
export const entityManagerKey = createContextKey<EntityManager | undefined>(undefined, {
  description: "entity manager",
});
