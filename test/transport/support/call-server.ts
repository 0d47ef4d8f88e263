import { PassThrough } from "node:stream";
import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import fastify, { type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { RequestBodyMemoryBudget } from "../../../src/platform/body-memory-budget.ts";
import { createProcessLoggersOnStream } from "../../../src/platform/log.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import type { Principal } from "../../../src/platform/principal.ts";
import {
  allowAnyReplay,
  type IdempotencyReplayAuthorizers,
} from "../../../src/platform/replay-checks.ts";
import type { AddressRateLimiter } from "../../../src/platform/rate-limit/address-limit.ts";
import { mountConnect } from "../../../src/transport/connect.ts";
import { closeHttp2StreamIfBodyUnread } from "../../../src/transport/front/linger.ts";
import type { RequestAuthenticator } from "../../../src/transport/interceptors/gate.ts";
import type { IdempotencyRecordStore } from "../../../src/transport/interceptors/idempotency.ts";
import {
  createRpcPipeline,
  type RpcPipeline,
} from "../../../src/transport/interceptors/rpc-pipeline.ts";
import { RequestValidator } from "../../../src/transport/interceptors/validate.ts";
import type { MountedService } from "../../../src/transport/mounted-service.ts";
import { registerHttpRequestScope } from "../../../src/transport/open-request-scope.ts";
import { createRestErrorRenderer } from "../../../src/transport/rest/error-body.ts";
import { installErrorHandling } from "../../../src/transport/rest/error.ts";
import { buildFastifyServerOptions } from "../../../src/transport/server-options.ts";
import { mountRest } from "../../../src/transport/rest/mount.ts";
import { neverShedding } from "../../support/unloaded-gate.ts";

/** What may differ between the servers of these tests. */
export interface CallServerOptions {
  readonly http2?: boolean;
  readonly trustProxy?: string[];
  readonly idempotencyStore?: IdempotencyRecordStore;
  readonly translateError?: (error: unknown) => ApiError | undefined;
  readonly forkEntityManager?: () => EntityManager;
  readonly shutdownSignal?: AbortSignal;
  /** 512 MiB by default. */
  readonly bodies?: RequestBodyMemoryBudget;
  readonly addressLimit?: AddressRateLimiter;
  /** Registers more on the server, with the pipeline of the others. */
  readonly extend?: (app: FastifyInstance, pipeline: RpcPipeline) => void;
}

/** A server of the given services, over every protocol, that ends with the test. */
export interface CallServer {
  readonly origin: string;
  readonly app: FastifyInstance;
  /** The log so far, one object per line. */
  logLines(): Record<string, unknown>[];
  /** Resolves with the first access line that there is or will be. */
  accessLine(): Promise<Record<string, unknown>>;
}

/** Credentials of these tests by token. */
export const principals: Readonly<Record<string, Principal>> = {
  session: { kind: "session", sessionId: "session_1", accountId: "user_1", userId: "user_1" },
  other: { kind: "session", sessionId: "session_2", accountId: "user_2", userId: "user_2" },
  operator: { kind: "operator" },
  writer: keyWith(["endpoints:read", "endpoints:write"]),
  reader: keyWith(["endpoints:read"]),
};

function keyWith(scopes: ("endpoints:read" | "endpoints:write")[]): Principal {
  return {
    kind: "key",
    keyId: "key_1",
    accountId: "user_1",
    userId: "user_1",
    teamId: undefined,
    scopes: new Set(scopes),
  };
}

const authenticator: RequestAuthenticator = {
  authenticate(headers) {
    const token = headers.get("authorization")?.slice("Bearer ".length) ?? "";
    const principal = principals[token];
    if (principal === undefined) throw new ApiError("unauthorized", "The credential is unknown.");
    return principal;
  },
};

/** A service of which only the given methods are called. */
export function partialService<Service extends DescService>(
  service: Service,
  implementation: Partial<ServiceImpl<Service>>,
): MountedService {
  const missing = service.methods.map(({ localName }) => [localName, notPartOfTest]);
  const checks = service.methods.map(({ localName }) => [localName, allowAnyReplay]);
  return {
    service,
    implementation: { ...Object.fromEntries(missing), ...implementation },
    repeatChecks: Object.fromEntries(checks) as IdempotencyReplayAuthorizers<Service>,
  };
}

function notPartOfTest(): never {
  throw new Error("this method is not part of the test");
}

function isAccessLine(line: Record<string, unknown>): boolean {
  return line["msg"] === "request";
}

function docUrl(code: string): string {
  return `https://gateway.test/docs/errors#${code}`;
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startCallServer(
  services: readonly MountedService[],
  options: CallServerOptions = {},
): Promise<CallServer> {
  const lines: string[] = [];
  const stream = new PassThrough();
  stream.on("data", (line: Buffer) => lines.push(line.toString()));
  const app = createApp(services, options, stream);
  // As the front does.
  if (options.http2 === true) app.server.on("request", closeHttp2StreamIfBodyUnread);
  onTestFinished(async () => {
    if (options.http2 !== true) app.server.closeAllConnections();
    await app.close();
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const logLines = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    origin,
    app,
    logLines,
    accessLine: async () => {
      while (!logLines().some(isAccessLine))
        await new Promise((resolve) => stream.once("data", resolve));
      return logLines().find(isAccessLine) ?? {};
    },
  };
}

function createApp(
  services: readonly MountedService[],
  options: CallServerOptions,
  stream: PassThrough,
): FastifyInstance {
  const logs = createProcessLoggersOnStream(stream, "trace");
  const errorBody = createRestErrorRenderer(docUrl);
  const app = newFastify(
    options.http2 === true,
    buildFastifyServerOptions(options.trustProxy ?? [], { errorBody }, logs),
  );
  registerHttpRequestScope(app, logs);
  installErrorHandling(app, { errorBody });
  const pipeline = createRpcPipeline({
    streams: undefined,
    docUrl,
    load: neverShedding,
    authenticator,
    validator: new RequestValidator(),
    translateError: options.translateError ?? (() => undefined),
    idempotencyStore: options.idempotencyStore,
    forkEntityManager: options.forkEntityManager ?? noDatabase,
    waitForChanges: undefined,
    bodies: options.bodies ?? new RequestBodyMemoryBudget(512),
    ...(options.addressLimit !== undefined && { addressLimit: options.addressLimit }),
  });
  mountRest(app, services, { pipeline, largeBodyBytes: 2 * 1024 * 1024 });
  mountConnect(app, services, {
    pipeline,
    largeBodyBytes: 2 * 1024 * 1024,
    shutdownSignal: options.shutdownSignal ?? new AbortController().signal,
  });
  options.extend?.(app, pipeline);
  return app;
}

function newFastify(
  http2: boolean,
  options: ReturnType<typeof buildFastifyServerOptions>,
): FastifyInstance {
  if (!http2) return fastify(options);
  // The types of the two kinds of server differ; what is used of them here does not.
  return fastify({ ...(options as object), http2: true }) as unknown as FastifyInstance;
}

function noDatabase(): never {
  throw new Error("this test has no database");
}

/** Calls a REST route as JSON; `body` undefined sends none. */
export async function rest(
  { origin }: CallServer,
  method: string,
  path: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: unknown; text: string }> {
  const { token, body, headers } = options;
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const parsed: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, body: parsed, text };
}
