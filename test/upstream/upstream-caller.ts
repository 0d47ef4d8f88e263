import type { IncomingMessage } from "node:http";
import { createClient, type Client } from "@connectrpc/connect";
import {
  UpstreamService,
  type CreateUpstreamRequest,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import type { Principal } from "../../src/platform/principal.ts";
import { createUpstreamRpc } from "../../src/upstream/upstream.rpc.ts";
import { UpstreamSecretSealer } from "../../src/upstream/upstream-secrets.ts";
import { listingUpstream, person, type EndpointFixture } from "../support/endpoint-fixture.ts";
import { startLoopbackServer } from "../support/loopback-server.ts";

export type UpstreamClient = Client<typeof UpstreamService>;

/** Somebody with an account of their own. */
export interface UpstreamCaller {
  readonly client: UpstreamClient;
  readonly accountId: string;
}

type Fields = Partial<
  Pick<CreateUpstreamRequest, "label" | "baseUrl" | "apiKey" | "dialect" | "headers" | "models">
>;

/** A signed-in person with a new account. */
export function createCaller(fixture: EndpointFixture): UpstreamCaller {
  const accountId = newResourceId("user");
  return { client: clientOf(fixture, person(accountId)), accountId };
}

/** A client that calls as somebody. */
export function clientOf(fixture: EndpointFixture, principal: Principal): UpstreamClient {
  const { dialer, box, budget, clock } = fixture;
  const ports = {
    dialer,
    secrets: new UpstreamSecretSealer(box),
    budget,
    clock,
    cooldownsOf: () => new Map(),
  };
  const transport = fixture.transport(principal, (router) =>
    router.service(UpstreamService, createUpstreamRpc(ports)),
  );
  return createClient(UpstreamService, transport);
}

/** Makes an endpoint with the slug `my-gpu`, unless the fields say otherwise. */
export function create(client: UpstreamClient, fields: Fields) {
  return client.createUpstream({ label: "My GPU", apiKey: "sk-secret", ...fields });
}

/** A new caller with one endpoint, and the requests that reach it. */
export async function withEndpoint(
  fixture: EndpointFixture,
  fields: Fields = {},
): Promise<UpstreamCaller & { readonly requests: IncomingMessage[]; readonly origin: string }> {
  const { listener, requests } = listingUpstream(["a"]);
  const { origin } = await startLoopbackServer(listener);
  const caller = createCaller(fixture);
  await create(caller.client, { baseUrl: origin, ...fields });
  return { ...caller, requests, origin };
}

/** Types of the audit events of an account, sorted. */
export async function auditTypes(fixture: EndpointFixture, accountId: string): Promise<unknown[]> {
  const sql = "select type from audit_events where account_id = ? order by type";
  return (await fixture.select(sql, accountId)).map(({ type }) => type);
}
