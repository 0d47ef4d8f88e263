import type { ServerResponse } from "node:http";
import type { APIPromise } from "openai";
import type { Response } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import type { RestResponse } from "../../support/rest-client.ts";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import { selectRows } from "../../support/select-rows.ts";
import { execute } from "../../support/test-database.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import {
  clientOf,
  dials,
  model,
  modelList,
  startCaller,
  type BackgroundCaller,
} from "./background-caller.ts";

vi.setConfig({ testTimeout: 120_000 });

const position = "x-svc-queue-position";

/** More turns than two processes have places, in as many keys as that takes. */
const keys = 6;
const turnsOfKey = 90;

/** Within so long a turn begins for which there is a place. */
const beginsMs = 5000;

let servers: TwoInstances;

beforeAll(async () => {
  servers = await startTwoInstances();
});

afterAll(() => servers.close());

/** An upstream that begins every answer and ends none before it is released. */
class Silence {
  readonly #open: ServerResponse[] = [];
  #isReleased = false;

  readonly script = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    if (this.#isReleased) response.destroy();
    else this.#open.push(response);
  };

  release(): void {
    this.#isReleased = true;
    for (const response of this.#open) response.destroy();
  }
}

function startTurn({ url }: TestInstance, secret: string): APIPromise<Response> {
  return clientOf({ url }, secret).responses.create({ model, input: "Hi", background: true });
}

function getTurn({ call }: TestInstance, token: string, id: string): Promise<RestResponse> {
  return call("GET", `/v1/responses/${id}`, { token });
}

/** Fills both processes with turns of one account, through several keys. */
async function startGreedyCaller(
  silence: Silence,
  upstream: FakeUpstream,
): Promise<BackgroundCaller> {
  const caller = await startCaller(servers.first, "dialect_chat", upstream);
  caller.upstream.play(silence.script);
  const rate_limit = { requests_per_minute: 100_000, burst: 10_000 };
  const secrets: string[] = [];
  for (let key = 0; key < keys; key += 1) {
    secrets.push((await caller.user.createKey({ rate_limit })).secret);
  }
  await Promise.all(
    secrets.map(async (secret, at) => {
      const server = at % 2 === 0 ? servers.first : servers.second;
      for (let turn = 0; turn < turnsOfKey; turn += 1) await startTurn(server, secret);
    }),
  );
  return caller;
}

describe("turns of many accounts over two processes", () => {
  const silence = new Silence();
  let upstream: Awaited<ReturnType<typeof openFakeUpstream>>;
  let greedy: BackgroundCaller;

  beforeAll(async () => {
    upstream = await openFakeUpstream(modelList);
    greedy = await startGreedyCaller(silence, upstream);
  }, 120_000);

  afterAll(async () => {
    silence.release();
    await upstream.close();
  });

  it("begin within seconds for each other account while one has more than both could run", async () => {
    for (const server of [servers.first, servers.second, servers.first, servers.second]) {
      const other = await startCaller(server);
      other.upstream.play(silence.script);
      await startTurn(server, other.secret);
      await waitUntil(() => dials(other.upstream).length === 1, beginsMs);
    }
    const waiting = await selectRows(
      servers.first.connectionString,
      `select from absurd.r_turns where state = 'pending' and account_id = $1`,
      greedy.user.id,
    );
    expect(waiting).not.toEqual([]);
  });

  it("tell their place in the queue in a header while they wait", async () => {
    const { data, response } = await startTurn(servers.first, greedy.secret).withResponse();
    expect(data).toMatchObject({ status: "queued" });
    const place = Number(response.headers.get(position));
    expect(place).toBeGreaterThan(100);
    const seen = await getTurn(servers.second, greedy.secret, data.id);
    expect(seen.body).toMatchObject({ id: data.id, status: "queued" });
    expect(Number(seen.headers.get(position))).toBe(place);
  });

  it("have no place in the queue when they begin at once", async () => {
    const caller = await startCaller(servers.second);
    caller.upstream.play(silence.script);
    const { data, response } = await startTurn(servers.second, caller.secret).withResponse();
    expect(response.headers.has(position)).toBe(false);
    const seen = await getTurn(servers.first, caller.secret, data.id);
    expect(seen.headers.has(position)).toBe(false);
  });

  it("are refused with 429 beyond the bound of their account, whichever key asks", async () => {
    await execute(
      servers.first.connectionString,
      `insert into turns (id, account_id, key_id, status, format, content, last_sequence, created_at, expires_at)
       select 'turn_' || number, '${greedy.user.id}', 'another key', 'queued', 1, '', 0, now(), now() + interval '1 hour'
       from generate_series(1, 1000) as number`,
    );
    const { secret } = await greedy.user.createKey();
    const body = { model, input: "Hi", background: true };
    const refused = await servers.second.call("POST", "/v1/responses", { token: secret, body });
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
