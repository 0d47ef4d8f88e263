import type { Interceptor } from "@connectrpc/connect";

/** Whom calls are made as: a caller key, a session token or the operator's token. */
export type ClientCredential = string | (() => string | Promise<string>);

/** Sends a credential with every call that brings none. A function is asked at each call. */
export function createClientCredentialInterceptor(credential: ClientCredential): Interceptor {
  return (next) => async (request) => {
    if (!request.header.has("authorization")) {
      const token = typeof credential === "string" ? credential : await credential();
      request.header.set("authorization", `Bearer ${token}`);
    }
    return next(request);
  };
}
