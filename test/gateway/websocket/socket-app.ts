import { fastify } from "fastify";
import { onTestFinished } from "vitest";
import type { ResponsesWebSocketLimits } from "../../../src/gateway/websocket/responses-connections.ts";
import {
  registerResponsesWebSocketRoute,
  type ResponsesWebSocketRouteDependencies,
} from "../../../src/gateway/websocket/register-websocket-route.ts";
import { isResponsesWebSocketUpgrade } from "../../../src/gateway/websocket/upgrade-request.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { RequestBodyMemoryBudget } from "../../../src/platform/body-memory-budget.ts";
import { createHttpListener } from "../../../src/transport/front/create-http-front.ts";
import type { HttpListenerLimits } from "../../../src/transport/front/front-limits.ts";
import {
  completeUpgradeWithSwitchingProtocols,
  findHttpUpgradeHeadBytes,
} from "../../../src/transport/front/upgrades.ts";
import { createRestErrorRenderer } from "../../../src/transport/rest/error-body.ts";
import { startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { neverShedding } from "../../support/unloaded-gate.ts";
import { addUpstreams, catalogue } from "../call.ts";
import { startModelApp, type ModelApp, type ModelAppOptions } from "../model-app.ts";

export interface SocketApp {
  readonly url: string;
  readonly models: ModelApp;
  readonly upstream: FakeUpstream;
}

export interface SocketAppOptions extends ModelAppOptions {
  /** Each call is admitted after this has resolved. */
  readonly admission?: Promise<void>;
  /** Counts the connections of a key; without a bound by default. */
  readonly count?: ResponsesWebSocketRouteDependencies["count"];
  readonly frontLimits?: Partial<HttpListenerLimits>;
}

/** The WebSocket mode on a front of its own, with limits that a test can wait for; it closes with the test. */
export async function startSocketApp(
  socketLimits: Partial<ResponsesWebSocketLimits>,
  { admission, count, frontLimits = {}, ...options }: SocketAppOptions = {},
): Promise<SocketApp> {
  const models = await startModelApp({ catalogue, ...options });
  const upstream = await startFakeUpstream();
  addUpstreams(models, upstream.origin);
  const { pipeline: journey } = models.routes;
  const docUrl = (): string => "http://docs.test";
  const variables = { host: "HOST", port: "PORT" };
  const front = createHttpListener({
    errorBody: createRestErrorRenderer(docUrl),
    variables,
    limits: frontLimits,
    acceptsUpgrade: isResponsesWebSocketUpgrade,
  });
  const app = fastify(front.fastifyOptions);
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof ApiError ? error.status : 500).send(String(error)),
  );
  registerResponsesWebSocketRoute(app, {
    load: neverShedding,
    authenticator: {
      authenticateModelCall: () => ({
        principal: models.principal,
        route: "auto",
        mode: "model",
        allowedModels: [],
        rateLimit: undefined,
        budget: undefined,
        tags: undefined,
      }),
    },
    pipeline: {
      ...journey,
      ...(admission !== undefined && {
        admit: async (...call) => admission.then(() => journey.admit(...call)),
      }),
    },
    observe: models.observe,
    addressOf: ({ ip }) => ip,
    recordKey: () => undefined,
    origins: [],
    count: count ?? (() => Promise.resolve(() => undefined)),
    watch: () => () => undefined,
    upgradeHead: findHttpUpgradeHeadBytes,
    endUpgraded: completeUpgradeWithSwitchingProtocols,
    translateError: () => undefined,
    memoryBudget: new RequestBodyMemoryBudget(1),
    socketLimits,
  });
  await app.ready();
  const { host, port } = await front.listen("127.0.0.1", 0);
  onTestFinished(async () => {
    await front.drain(0);
    await app.close();
  });
  return { url: `http://${host}:${port}`, models, upstream };
}
