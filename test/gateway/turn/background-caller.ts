import OpenAI from "openai";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { expect } from "vitest";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import type { RestResponse } from "../../support/rest-client.ts";
import type { TestInstance, TestUser } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** A caller with an endpoint of its own, whose upstream a test scripts. */
export interface BackgroundCaller {
  readonly user: TestUser;
  readonly keyId: string;
  readonly secret: string;
  readonly openai: OpenAI;
  readonly upstream: FakeUpstream;
  /** Calls a route with the caller's key. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<RestResponse>;
}

export const model = "custom/box/m";

/** Model calls that reached an upstream. */
export function dials({ requests }: FakeUpstream): readonly FakeUpstream["requests"][number][] {
  return requests.filter(({ method }) => method === "POST");
}

export function clientOf({ url }: Pick<TestInstance, "url">, secret: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
}

/** What an upstream says that is asked for its models. */
export const modelList = json({ object: "list", data: [{ id: "m" }] });

/** `open`: its upstream, by default one that ends with the test. */
export async function startCaller(
  causeway: TestInstance,
  dialect = "dialect_chat",
  open?: FakeUpstream,
): Promise<BackgroundCaller> {
  const upstream = open ?? (await startFakeUpstream(modelList));
  const user = await causeway.createUser();
  const body = { label: "Box", base_url: `${upstream.origin}/v1`, api_key: "k", dialect };
  const made = await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  expect(made.status).toBe(201);
  const { id: keyId, secret } = await user.createKey();
  const openai = clientOf(causeway, secret);
  const call: BackgroundCaller["call"] = (method, path, sent) =>
    causeway.call(method, path, { token: secret, ...(sent !== undefined && { body: sent }) });
  return { user, keyId, secret, openai, upstream, call };
}

/** Polls as the client's documentation does, until the response has ended. */
export async function waitUntilEnded(openai: OpenAI, id: string): Promise<Response> {
  let response = await openai.responses.retrieve(id);
  await waitUntil(async () => {
    response = await openai.responses.retrieve(id);
    return response.status !== "queued" && response.status !== "in_progress";
  });
  return response;
}

export async function eventsOf(
  stream: AsyncIterable<ResponseStreamEvent>,
): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Id of the response that a stream begins with. */
export function responseIdIn([first]: readonly ResponseStreamEvent[]): string {
  return first?.type === "response.created" ? first.response.id : "";
}
