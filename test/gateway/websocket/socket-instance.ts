import { openFakeUpstream, json, stream, type FakeUpstream } from "../../support/fake-upstream.ts";
import {
  startTestInstance,
  type TestInstance,
  type TestInstanceOptions,
} from "../../support/test-instance.ts";
import { streamFrames } from "../stream-frames.ts";

export const dialects = ["chat", "messages", "responses"] as const;

export type DialectName = (typeof dialects)[number];

/** An instance, and one loopback upstream behind an endpoint of each dialect. */
export interface SocketInstance {
  readonly causeway: TestInstance;
  readonly upstream: FakeUpstream;
  /** A new account with those endpoints and its key. */
  readonly caller: (key?: object) => Promise<SocketCaller>;
  readonly close: () => Promise<void>;
}

export interface SocketCaller {
  readonly secret: string;
  readonly session: string;
  readonly keyId: string;
}

/** Starts it; close it in `afterAll`. */
export async function startSocketInstance(
  options: TestInstanceOptions = {},
): Promise<SocketInstance> {
  const models = json({ object: "list", data: [{ id: "m" }] });
  const upstream = await openFakeUpstream(models);
  const causeway = await startTestInstance(options);
  return {
    causeway,
    upstream,
    caller: async (key) => {
      upstream.play(models);
      const user = await causeway.createUser();
      for (const dialect of dialects) await addEndpoint(causeway, upstream, user.session, dialect);
      const { secret, id } = await user.createKey({ ...key });
      return { secret, session: user.session, keyId: id };
    },
    close: async () => {
      await causeway.close();
      await upstream.close();
    },
  };
}

async function addEndpoint(
  causeway: TestInstance,
  { origin }: FakeUpstream,
  token: string,
  dialect: DialectName,
): Promise<void> {
  const about = { label: dialect, base_url: `${origin}/v1`, api_key: "k", models: ["m"] };
  const body = { ...about, dialect: `dialect_${dialect}` };
  const made = await causeway.call("POST", "/v1/upstreams", { token, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
}

/** The model of the endpoint of a dialect. */
export function modelOf(dialect: DialectName): string {
  return `custom/${dialect}/m`;
}

/** What that endpoint answers: "Hé!". */
export function answerOf(dialect: DialectName) {
  return stream(streamFrames[dialect]);
}

/** Parsed body of the last call that reached the upstream. */
// oxlint-disable-next-line typescript/no-explicit-any
export function lastSent({ requests }: FakeUpstream): Record<string, any> {
  return JSON.parse(requests.at(-1)?.body.toString() ?? "null");
}
