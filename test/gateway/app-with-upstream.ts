import { startFakeUpstream, type FakeUpstream } from "../support/fake-upstream.ts";
import { addUpstreams, catalogue } from "./call.ts";
import { startModelApp, type ModelApp, type ModelAppOptions } from "./model-app.ts";

export interface AppWithUpstream {
  readonly app: ModelApp;
  readonly upstream: FakeUpstream;
}

/** The model routes with one fake upstream behind all three; both close with the test. */
export async function startAppWithUpstream(
  options: ModelAppOptions = {},
): Promise<AppWithUpstream> {
  const app = await startModelApp({ catalogue, ...options });
  const upstream = await startFakeUpstream();
  addUpstreams(app, upstream.origin);
  return { app, upstream };
}
