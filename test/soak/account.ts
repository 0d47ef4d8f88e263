import type { RestResponse } from "../support/rest-client.ts";
import type { ServerProcess } from "../support/server-process.ts";
import type { SoakUpstream } from "./fake-upstream.ts";

/** Whose calls a run makes. */
export interface Account {
  readonly id: string;
  readonly session: string;
  /** Secrets; the second half of the keys has a budget. */
  readonly keys: readonly string[];
  /** Slug of the endpoint of chat completions. */
  readonly slug: string;
  readonly grantedNano: bigint;
}

/** More than a run can hold at a time. */
const grantedUsd = 100_000;

/** Makes a user with money, an endpoint, a linked credential for each dialect, and keys. */
export async function openAccount(
  server: ServerProcess,
  upstreams: readonly SoakUpstream[],
): Promise<Account> {
  const user = await server.createUser();
  const { session: token } = user;
  const credits = { token: server.adminToken, body: { amount_usd: grantedUsd } };
  expectSuccess(await server.call("POST", `/v1/admin/users/${user.id}/credits`, credits));
  for (const { wire } of upstreams) {
    const path = `/v1/vendors/own-${wire.name}/credential`;
    expectSuccess(await server.call("PUT", path, { token, body: { api_key: "own" } }));
  }
  const budget = { limit_usd: grantedUsd, window: "total" };
  const made = [{}, {}, { budget }, { budget }].map((fields) => user.createKey(fields));
  return {
    id: user.id,
    session: token,
    keys: (await Promise.all(made)).map(({ secret }) => secret),
    slug: await createEndpoint(server, token, upstreams[0]?.baseUrl),
    grantedNano: BigInt(grantedUsd) * 1_000_000_000n,
  };
}

async function createEndpoint(
  server: ServerProcess,
  token: string,
  base_url: string | undefined,
): Promise<string> {
  const body = { label: "Soak", base_url, api_key: "own", dialect: "dialect_chat" };
  const answer = await server.call("POST", "/v1/upstreams", { token, body });
  expectSuccess(answer);
  return answer.body.upstream.slug as string;
}

function expectSuccess({ status, body }: RestResponse): void {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
}
