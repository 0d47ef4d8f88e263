import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import {
  ConnectError,
  createRouterTransport,
  type ConnectRouter,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import { pino } from "pino";
import { ErrorInfoSchema, type ErrorInfo } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import type { AuditActor } from "../../src/domain/audit/audit.ts";
import { databaseEntities } from "../../src/app/entities.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import type { DnsLookup } from "../../src/platform/dial/checked-connector.ts";
import { Dialer } from "../../src/platform/dial/dialer.ts";
import { AccountProbeRateLimiter } from "../../src/platform/endpoint/probe-budget.ts";
import { RateLimitBuckets } from "../../src/platform/rate-limit/request-buckets.ts";
import type { Principal, CallerKeyScope } from "../../src/platform/principal.ts";
import { entityManagerKey, principalKey } from "../../src/platform/request-context.ts";
import {
  apiErrorToConnectError,
  toKnownApiError,
} from "../../src/transport/interceptors/connect-error.ts";
import {
  createValidationInterceptor,
  RequestValidator,
} from "../../src/transport/interceptors/validate.ts";
import { sendJson } from "./loopback-server.ts";
import { createTestDatabase } from "./test-database.ts";

/** What tests of custom endpoints and vendors share: a database, a dialer, sealed storage. */
export interface EndpointFixture {
  readonly database: Database;
  readonly dialer: Dialer;
  readonly box: SecretBox;
  readonly budget: AccountProbeRateLimiter;
  readonly clock: { now(): number };
  readonly silent: pino.Logger;
  readonly fork: () => EntityManager;
  /** Values of one row, past the entity. */
  select(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  /** Clients of a service that call as somebody. */
  transport(principal: Principal, routes: (router: ConnectRouter) => void): Transport;
  close(): Promise<void>;
}

const validator = new RequestValidator();
const scopes: ReadonlySet<CallerKeyScope> = new Set<CallerKeyScope>([
  "endpoints:read",
  "endpoints:write",
]);

/** Opens the fixture; loopback may be dialled, `*.example` resolves to nothing. */
export async function openEndpointFixture(
  lookup: DnsLookup = unknownName,
): Promise<EndpointFixture> {
  const silent = pino({ level: "silent" });
  const { connectionString, drop } = await createTestDatabase();
  const database = await openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log: silent,
  });
  const dialer = new Dialer({ allow: ["127.0.0.1:*"], connectMs: 2000, lookup });
  const clock = { now: () => Date.now() };
  const fork = (): EntityManager => database.fork();
  return {
    database,
    dialer,
    box: new SecretBox([randomBytes(32)]),
    budget: new AccountProbeRateLimiter(new RateLimitBuckets(clock)),
    clock,
    silent,
    fork,
    select: (sql, ...parameters) => fork().execute(sql, parameters),
    transport: (principal, routes) =>
      createRouterTransport(routes, {
        router: { interceptors: [callAs(principal, fork), createValidationInterceptor(validator)] },
      }),
    close: async () => {
      await dialer.close();
      await database.close();
      await drop();
    },
  };
}

/** A signed-in person, whose account is the person's own. */
export function person(accountId: string): Principal {
  return { kind: "session", sessionId: "session_1", accountId, userId: accountId };
}

/** A caller key of that person. */
export function callerKey(accountId: string): Principal {
  return { kind: "key", keyId: "key_1", accountId, userId: accountId, teamId: undefined, scopes };
}

/** Somebody in a request of their own. */
export function actor(principal: Principal): AuditActor {
  return { principal, address: "127.0.0.1", requestId: "req_1", at: new Date() };
}

/** A compatible upstream that lists models and notes who asked. */
export function listingUpstream(ids: readonly string[]): {
  readonly listener: RequestListener;
  readonly requests: IncomingMessage[];
} {
  const requests: IncomingMessage[] = [];
  const data = ids.map((id) => ({ id, object: "model" }));
  return {
    requests,
    listener: (request, response) => {
      requests.push(request);
      sendJson(response, 200, { object: "list", data });
    },
  };
}

/** What a refused call says of its refusal; undefined for one that succeeds. */
export async function refusal(call: Promise<unknown>): Promise<ErrorInfo | undefined> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return undefined;
  const [info] = ConnectError.from(error).findDetails(ErrorInfoSchema);
  if (info === undefined) throw error;
  return info;
}

function callAs(principal: Principal, fork: () => EntityManager): Interceptor {
  return (next) => async (request) => {
    request.contextValues.set(principalKey, principal);
    request.contextValues.set(entityManagerKey, fork());
    try {
      return await next(request);
    } catch (error) {
      const known = toKnownApiError(error);
      throw known === undefined
        ? error
        : apiErrorToConnectError(known, "req_1", (code) => `/${code}`);
    }
  };
}

function unknownName(): Promise<never> {
  return Promise.reject(Object.assign(new Error("unknown name"), { code: "ENOTFOUND" }));
}
