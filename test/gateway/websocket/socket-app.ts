import { fastify } from "fastify";
import { onTestFinished } from "vitest";
import type { SocketLimits } from "../../../src/gateway/websocket/response-sockets.ts";
import { registerSocketRoute } from "../../../src/gateway/websocket/register-socket-route.ts";
import { asksForSocket } from "../../../src/gateway/websocket/upgrade-request.ts";
import { HeldBodies } from "../../../src/platform/held-bodies.ts";
import { createFront } from "../../../src/transport/front/create-front.ts";
import { endUpgraded, upgradeHead } from "../../../src/transport/front/upgrades.ts";
import { createErrorBody } from "../../../src/transport/rest/error-body.ts";
import { startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { noLoad } from "../../support/no-load.ts";
import { addUpstreams, catalogue } from "../call.ts";
import { startModelApp, type ModelApp, type ModelAppOptions } from "../model-app.ts";

export interface SocketApp {
  readonly url: string;
  readonly models: ModelApp;
  readonly upstream: FakeUpstream;
}

/** The WebSocket mode on a front of its own, with limits that a test can wait for; it closes with the test. */
export async function startSocketApp(
  socketLimits: Partial<SocketLimits>,
  options: ModelAppOptions = {},
): Promise<SocketApp> {
  const models = await startModelApp({ catalogue, ...options });
  const upstream = await startFakeUpstream();
  addUpstreams(models, upstream.origin);
  const docUrl = (): string => "http://docs.test";
  const variables = { host: "HOST", port: "PORT" };
  const front = createFront({
    errorBody: createErrorBody(docUrl),
    variables,
    takesUpgrade: asksForSocket,
  });
  const app = fastify(front.fastifyOptions);
  registerSocketRoute(app, {
    load: noLoad,
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
    journey: models.routes.journey,
    observe: models.observe,
    addressOf: ({ ip }) => ip,
    noteKey: () => undefined,
    origins: [],
    count: () => Promise.resolve(() => undefined),
    upgradeHead,
    endUpgraded,
    translateError: () => undefined,
    room: new HeldBodies(1),
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
