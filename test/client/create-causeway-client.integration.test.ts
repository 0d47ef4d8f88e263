/** The client of the npm package against a real server; what fails on the way fails in the `fetch` that it is given. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CausewayError,
  createCausewayClient,
  type CausewayClient,
  type CausewayClientOptions,
} from "../../src/client/create-causeway-client.ts";
import { allServiceDescriptors } from "../../src/contract/services.ts";
import { daysAgo, startTools, type ToolsFixture } from "../depshealth/service/tools-fixture.ts";
import { Ecosystem, Verdict } from "../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { closedPort } from "../support/closed-port.ts";
import { serveNpm } from "../support/fake-sources/packages.ts";
import type { TestUser } from "../support/test-instance.ts";

type Fetch = typeof globalThis.fetch;

let tools: ToolsFixture;
let user: TestUser;
let secret: string;

beforeAll(async () => {
  tools = await startTools({
    settings: {
      limits: { tools_requests_per_minute: 60, tools_burst: 1 },
    },
  });
  user = await tools.causeway.createUser();
  const scopes = ["teams:read", "teams:write", "endpoints:read", "endpoints:write"];
  ({ secret } = await user.createKey({ scopes }));
});

afterAll(() => tools.close());

function clientWith(options: Partial<CausewayClientOptions> = {}): CausewayClient {
  const { url: baseUrl, toolsUrl } = tools.causeway;
  return createCausewayClient({ baseUrl, toolsUrl, key: secret, ...options });
}

/** A `fetch` whose first answers are lost after the server gave them; tells what it was asked. */
function losingAnswers(count: number): { fetch: Fetch; asked: Request[] } {
  const asked: Request[] = [];
  const fetch: Fetch = async (...parameters) => {
    asked.push(new Request(...parameters));
    const answer = await globalThis.fetch(...parameters);
    if (asked.length > count) return answer;
    await answer.arrayBuffer();
    throw new TypeError("fetch failed");
  };
  return { fetch, asked };
}

/** Never answers, and ends as the signal says. */
const silent: Fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    const end = () => reject(init?.signal?.reason as Error);
    if (init?.signal?.aborted === true) end();
    init?.signal?.addEventListener("abort", end);
  });

async function failureOf(call: Promise<unknown>): Promise<CausewayError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CausewayError)) throw new Error(`no CausewayError: ${String(error)}`);
  return error;
}

describe("createCausewayClient", () => {
  it("[packages.client] has every service of the contract, with every method", () => {
    const client = clientWith();
    const methods = new Set(Object.values(client).flatMap((service) => Object.keys(service)));
    const missing = allServiceDescriptors.flatMap((service) =>
      Object.keys(service.method).filter((name) => !methods.has(name)),
    );
    expect(missing).toEqual([]);
  });

  it("[packages.client] calls both services with the key", async () => {
    const { fake } = tools;
    serveNpm(fake, { name: "fine", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
    const client = clientWith();
    const team = await client.teams.createTeam({ name: "Typed" });
    expect((await client.teams.listTeams({})).data).toMatchObject([{ id: team.id, name: "Typed" }]);
    const health = await client.depshealth.packageHealth({
      ecosystem: Ecosystem.NPM,
      name: "fine",
      taskContext: "Testing the client",
    });
    expect(health.verdict).toBe(Verdict.ACTIVE);
  });

  it("asks for the credential at each call, and sends none without one", async () => {
    const tokens = [user.session, secret];
    const client = clientWith({ key: () => Promise.resolve(tokens.shift() ?? "") });
    expect((await client.account.getMe({})).id).toBe(user.id);
    expect((await failureOf(client.account.getMe({}))).code).toBe("insufficient_scope");
    const { url: baseUrl } = tools.causeway;
    const stranger = createCausewayClient({ baseUrl });
    expect((await failureOf(stranger.teams.listTeams({}))).code).toBe("unauthorized");
  });

  it("follows a stream, which has no deadline, and tells why it ended", async () => {
    const key = await user.createKey({ scopes: ["endpoints:read"] });
    const watching = clientWith({ key: key.secret, deadlineMs: 50 });
    const stream = watching.aliases.watchAliases({})[Symbol.asyncIterator]();
    const begun = (await stream.next()).value;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const alias = { token: "typed", vendor: "openai", modelId: "some-model" };
    const written = await clientWith().aliases.setAlias(alias);
    const { value } = await stream.next();
    expect(value?.changes).toMatchObject([{ token: "typed", rev: written.rev }]);
    expect(value?.rev).toBeGreaterThan(begun?.rev ?? 0n);
    await tools.causeway.call("DELETE", `/v1/keys/${key.id}`, { token: user.session });
    expect((await failureOf(stream.next())).code).toBe("insufficient_scope");
  });
});

describe("errors of the client", () => {
  it("are one class with what the server said", async () => {
    const error = await failureOf(clientWith().teams.createTeam({ name: " " }));
    expect(error).toMatchObject({ code: "invalid_request", param: "name" });
    expect(error.docUrl).toBe(`${tools.causeway.url}/docs/errors#invalid_request`);
    expect(error.requestId).toMatch(/^req_/);
    expect(tools.causeway.logLines()).toContainEqual(
      expect.objectContaining({ request_id: error.requestId }),
    );
  });

  it("say that nobody could be reached", async () => {
    const baseUrl = `http://127.0.0.1:${await closedPort()}`;
    const error = await failureOf(clientWith({ baseUrl, retries: 0 }).teams.listTeams({}));
    expect(error).toMatchObject({ code: "unreachable", param: undefined, requestId: undefined });
  });

  it("say that the caller ended the call, or its deadline", async () => {
    const client = clientWith({ fetch: silent, deadlineMs: 100 });
    expect((await failureOf(client.teams.listTeams({}))).code).toBe("deadline_exceeded");
    const signal = AbortSignal.abort();
    expect((await failureOf(client.teams.listTeams({}, { signal }))).code).toBe("canceled");
  });
});

describe("repetitions of the client", () => {
  it("make a call again that only reads, or replaces", async () => {
    const reading = losingAnswers(2);
    await clientWith({ fetch: reading.fetch }).teams.listTeams({});
    expect(reading.asked).toHaveLength(3);
    const writing = losingAnswers(1);
    const alias = { token: "again", vendor: "openai", modelId: "some-model" };
    await clientWith({ fetch: writing.fetch }).aliases.setAlias(alias);
    expect(writing.asked).toHaveLength(2);
  });

  it("make what is created once, with one key for all attempts", async () => {
    const { fetch, asked } = losingAnswers(2);
    const team = await clientWith({ fetch }).teams.createTeam({ name: "Once" });
    const { data } = await clientWith().teams.listTeams({});
    expect(data.filter(({ name }) => name === "Once").map(({ id }) => id)).toEqual([team.id]);
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("are not made of what may happen twice, or would be refused the second time", async () => {
    const creating = losingAnswers(1);
    const session = clientWith({ fetch: creating.fetch, key: user.session });
    expect((await failureOf(session.account.createKey({}))).code).toBe("unreachable");
    expect(creating.asked).toHaveLength(1);
    const { id } = await clientWith().teams.createTeam({ name: "Gone" });
    const deleting = losingAnswers(1);
    const client = clientWith({ fetch: deleting.fetch });
    expect((await failureOf(client.teams.deleteTeam({ teamId: id }))).code).toBe("unreachable");
    expect(deleting.asked).toHaveLength(1);
  });

  it("end after as many as were asked for, and with the deadline", async () => {
    const some = losingAnswers(Infinity);
    await failureOf(clientWith({ fetch: some.fetch, retries: 1 }).teams.listTeams({}));
    expect(some.asked).toHaveLength(2);
    const { fetch } = losingAnswers(Infinity);
    const late = clientWith({ fetch, retries: 1000, deadlineMs: 400 }).teams.listTeams({});
    expect((await failureOf(late)).code).toBe("deadline_exceeded");
  });

  it("wait as long as the server says", async () => {
    const request = { ecosystem: Ecosystem.NPM, name: "fine", taskContext: "Testing the client" };
    const { fetch, asked } = losingAnswers(0);
    const client = clientWith({ fetch });
    const startedAt = performance.now();
    await Promise.all([
      client.depshealth.packageHealth(request),
      client.depshealth.packageHealth(request),
    ]);
    expect(asked.length).toBeGreaterThan(2);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });
});
