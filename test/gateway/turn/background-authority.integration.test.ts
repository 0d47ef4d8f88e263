import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { selectRows } from "../../support/select-rows.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import {
  clientOf,
  dials,
  model,
  modelList,
  startCaller,
  type BackgroundCaller,
} from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

let causeway: TestInstance;
let vendor: FakeUpstream & { close(): Promise<void> };

beforeAll(async () => {
  vendor = await openFakeUpstream();
  const chat = { label: "Chat", dialects: ["dialect_chat"], auth: "bearer", models: ["m"] };
  const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  causeway = await startTestInstance({
    file: {
      vendors: { talk: { ...chat, base_url: `${vendor.origin}/v1` } },
      credits: {
        keys: { talk: "operator-key" },
        catalog: [{ id: "sold", vendor: "talk", model: "m", ...prices }],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await vendor.close();
});

async function statusOf(id: string): Promise<unknown> {
  const sql = `select "status" from "turns" where "id" = $1`;
  return (await selectRows(causeway.connectionString, sql, id))[0]?.["status"];
}

/** Asks in the background, does something once the upstream speaks, and waits for the end of the turn. */
async function expectCancelled(
  upstream: FakeUpstream,
  secret: string,
  asked: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const stream = pausedStream();
  upstream.play(stream.script);
  const openai = clientOf(causeway, secret);
  const { id } = await openai.responses.create({ model: asked, input: "hi", background: true });
  await stream.begun;
  stream.say("Half ");
  const dial = dials(upstream).at(-1);
  await act();
  const actedAt = performance.now();
  await waitUntil(async () => (await statusOf(id)) === "cancelled");
  expect((await dial?.closed) ?? Number.NaN).toBeLessThan(actedAt + 1500);
  expect(dials(upstream).at(-1)).toBe(dial);
}

interface Loss {
  readonly caller: BackgroundCaller;
  /** As an operator or user calls a route; 2xx. */
  readonly as: (token: string, method: string, path: string, body?: unknown) => Promise<void>;
}

async function does(token: string, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await causeway.call(method, path, { token, ...(body !== undefined && { body }) });
  expect([path, Math.floor(answer.status / 100), answer.body]).toMatchObject([path, 2, {}]);
}

const losses: readonly [string, (loss: Loss) => Promise<unknown>][] = [
  [
    "its key is revoked",
    ({ caller: { user, keyId }, as }) => as(user.session, "DELETE", `/v1/keys/${keyId}`),
  ],
  [
    "its key expires",
    ({ caller: { user, keyId }, as }) =>
      as(user.session, "PATCH", `/v1/keys/${keyId}`, {
        expires_at: new Date(Date.now() + 300).toISOString(),
      }),
  ],
  [
    "its user is disabled",
    ({ caller: { user }, as }) =>
      as(causeway.adminToken, "PATCH", `/v1/admin/users/${user.id}`, { disabled: true }),
  ],
  [
    "its endpoint is deleted",
    ({ caller: { user }, as }) => as(user.session, "DELETE", "/v1/upstreams/box"),
  ],
];

describe("[turns.authority] an answer in the background is cancelled within a second when", () => {
  it.concurrent.for(losses)("%s", async ([, lose], { onTestFinished }) => {
    const upstream = await openFakeUpstream(modelList);
    onTestFinished(() => upstream.close());
    const caller = await startCaller(causeway, "dialect_chat", upstream);
    await expectCancelled(caller.upstream, caller.secret, model, () => lose({ caller, as: does }));
  });

  it("[turns.authority] its vendor is unlinked", async () => {
    const user = await causeway.createUser();
    const path = "/v1/vendors/talk/credential";
    await does(user.session, "PUT", path, { api_key: "sk-own" });
    const { secret } = await user.createKey();
    await expectCancelled(vendor, secret, "talk/m", () => does(user.session, "DELETE", path));
  });

  it("[turns.authority] the maker of its team's key leaves", async () => {
    const [owner, maker] = [await causeway.createUser(), await causeway.createUser()];
    const { body: team } = await causeway.call("POST", "/v1/teams", {
      token: owner.session,
      body: { name: "Team" },
    });
    const { body: invite } = await causeway.call("POST", `/v1/teams/${team.id}/invites`, {
      token: owner.session,
      body: { email: maker.email },
    });
    await does(maker.session, "POST", `/v1/team_invites/${invite.code}/accept`);
    const credits = `/v1/admin/teams/${team.id}/credits`;
    await does(causeway.adminToken, "POST", credits, { amount_usd: 1 });
    const { secret } = await maker.createKey({ team_id: team.id });
    await expectCancelled(vendor, secret, "sold", () =>
      does(owner.session, "DELETE", `/v1/teams/${team.id}/members/${maker.id}`),
    );
  });
});
