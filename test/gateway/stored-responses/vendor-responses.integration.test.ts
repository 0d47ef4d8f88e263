import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  json,
  openFakeUpstream,
  reset,
  stall,
  stream,
  text,
  type FakeUpstream,
  type Script,
} from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

type Fake = FakeUpstream & { close(): Promise<void> };

let causeway: TestInstance;
/** Linked in this order; `third` is a custom endpoint. */
let first: Fake;
let second: Fake;
let third: Fake;

beforeAll(async () => {
  [first, second, third] = await Promise.all([
    openFakeUpstream(),
    openFakeUpstream(),
    openFakeUpstream(),
  ]);
  const vendor = ({ origin }: Fake) => ({
    label: "Vendor",
    base_url: `${origin}/v1`,
    dialects: ["dialect_responses"],
    auth: "bearer",
    models: ["m"],
  });
  const chat = { ...vendor(first), base_url: `${first.origin}/chat`, dialects: ["dialect_chat"] };
  causeway = await startTestInstance({
    file: { vendors: { first: vendor(first), second: vendor(second), chat } },
  });
});

afterAll(async () => {
  await causeway.close();
  for (const fake of [first, second, third]) await fake.close();
});

const unknown = json({ error: { message: "No such response.", code: "theirs" } }, 404);

beforeEach(() => {
  for (const fake of [first, second, third]) {
    fake.requests.length = 0;
    fake.play(unknown);
  }
});

function responseOf(id: string, more: object = {}) {
  const part = { type: "output_text", text: "Hello.", annotations: [] };
  const message = { type: "message", id: "msg_1", role: "assistant", content: [part] };
  return {
    id,
    object: "response",
    created_at: 1,
    model: "m-2026",
    status: "completed",
    output: [message],
    ...more,
  };
}

/** A vendor that keeps one response; it can be cancelled, deleted, and asked for its input. */
function keeping(id: string): Script {
  return (response, request) => {
    const [path] = request.path.split("?");
    const answers: Readonly<Record<string, Script>> = {
      "POST /v1/responses": json(responseOf(id)),
      [`GET /v1/responses/${id}`]: json(responseOf(id)),
      [`POST /v1/responses/${id}/cancel`]: json(responseOf(id, { status: "cancelled" })),
      [`DELETE /v1/responses/${id}`]: json({ id, object: "response", deleted: true }),
      [`GET /v1/responses/${id}/input_items`]: json({
        object: "list",
        data: [{ type: "message", id: "msg_0", role: "user", content: [] }],
        first_id: "msg_0",
        last_id: "msg_0",
        has_more: false,
      }),
    };
    return (answers[`${request.method} ${path}`] ?? unknown)(response, request);
  };
}

async function caller(fields: Record<string, unknown> = {}, vendors = ["first", "second", "chat"]) {
  const user = await causeway.createUser();
  const { session: token } = user;
  for (const vendor of vendors) {
    const body = { api_key: `key of ${vendor}` };
    await causeway.call("PUT", `/v1/vendors/${vendor}/credential`, { token, body });
  }
  const endpoint = { label: "Third", base_url: `${third.origin}/v1`, api_key: "k" };
  const body = { ...endpoint, dialect: "dialect_responses" };
  expect((await causeway.call("POST", "/v1/upstreams", { token, body })).status).toBe(201);
  for (const fake of [first, second, third]) fake.requests.length = 0;
  const { secret } = await user.createKey(fields);
  const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  return { user, secret, openai };
}

function asked(fake: Fake): string[] {
  return fake.requests.map(({ method, path }) => `${method} ${path}`);
}

const id = "resp_theirs-1";
const path = `/v1/responses/${id}`;
const input = "hi";

describe("an answer that a vendor keeps", () => {
  it("[lasting.asked-alone] is asked of the vendor that gave it alone, by everything that the client can ask", async () => {
    const { openai } = await caller();
    second.play(keeping(id));
    const begun = await openai.responses.create({ model: "second/m", input, background: true });
    expect(begun.id).toBe(id);
    expect((await openai.responses.retrieve(id)).output_text).toBe("Hello.");
    const items = await openai.responses.inputItems.list(id);
    expect(items.data.map((item) => item.id)).toEqual(["msg_0"]);
    expect((await openai.responses.cancel(id)).status).toBe("cancelled");
    await openai.responses.delete(id);
    expect(asked(second)).toEqual([
      "POST /v1/responses",
      `GET ${path}`,
      `GET ${path}/input_items`,
      `POST ${path}/cancel`,
      `DELETE ${path}`,
    ]);
    expect([...asked(first), ...asked(third)]).toEqual([]);
    for (const { headers } of second.requests) {
      expect(headers.authorization).toBe("Bearer key of second");
    }
  });

  it("[lasting.asked-alone] is remembered of a stream that its caller left, and of an endpoint", async () => {
    const { openai, secret } = await caller();
    const created = { type: "response.created", response: responseOf(id, { status: "queued" }) };
    const frame = `event: ${created.type}\ndata: ${JSON.stringify(created)}\n\n`;
    third.play(stream([frame.slice(0, 70), frame.slice(70)], { ending: "stall" }));
    const answer = await fetch(`${causeway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "custom/third/m", input, stream: true, background: true }),
    });
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await (
      await third.request(0)
    ).closed;
    third.play(keeping(id));
    await openai.responses.cancel(id);
    expect(asked(third)).toEqual(["POST /v1/responses", `POST ${path}/cancel`]);
    expect([...asked(first), ...asked(second)]).toEqual([]);
  });

  it("[lasting.search] is asked of each in link order where nobody remembers, and passed on as it is", async () => {
    const { secret: token } = await caller();
    const bytes = `{ "id" : "${id}",\n "object":"response", "model":"x", "n": 1.0e0 }`;
    second.play(text(bytes, 200, { "content-type": "application/json; v=2", "x-theirs": "1" }));
    const answer = await fetch(`${causeway.url}${path}?include[]=a&x=%2F`, {
      headers: { authorization: `Bearer ${token}`, "openai-beta": "b", cookie: "c=d" },
    });
    expect([answer.status, await answer.text()]).toEqual([200, bytes]);
    expect(answer.headers.get("content-type")).toBe("application/json; v=2");
    expect(answer.headers.get("x-theirs")).toBeNull();
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    const query = `GET ${path}?include[]=a&x=%2F`;
    expect([asked(first), asked(second), asked(third)]).toEqual([[query], [query], []]);
    const { headers } = await second.request(0);
    expect(headers).toMatchObject({ "openai-beta": "b", "accept-encoding": "identity" });
    expect(headers.cookie).toBeUndefined();
    expect(headers["content-type"]).toBeUndefined();
  });

  it("[lasting.search] is deleted, cancelled and read only where a GET knows it", async () => {
    const { openai } = await caller();
    third.play(keeping(id));
    await openai.responses.delete(id);
    expect((await openai.responses.cancel(id)).status).toBe("cancelled");
    await openai.responses.inputItems.list(id, { order: "asc" });
    for (const fake of [first, second]) {
      expect(asked(fake)).toEqual(Array.from({ length: 3 }, () => `GET ${path}`));
    }
    expect(asked(third)).toEqual([
      `GET ${path}`,
      `DELETE ${path}`,
      `GET ${path}`,
      `POST ${path}/cancel`,
      `GET ${path}`,
      `GET ${path}/input_items?order=asc`,
    ]);
  });

  it("is let go when its caller hangs up", async () => {
    const { secret: token } = await caller();
    const headers = { authorization: `Bearer ${token}` };
    const hangUp = async (script: Script): Promise<void> => {
      first.play(script);
      const call = new AbortController();
      const { signal } = call;
      const answer = fetch(`${causeway.url}${path}?stream=true`, { headers, signal });
      const { closed } = await first.request(0);
      if (script !== stall) await (await answer).body?.getReader().read();
      call.abort();
      await Promise.all([closed, answer.catch(() => undefined)]);
      first.requests.length = 0;
    };
    await hangUp(stall);
    await hangUp(stream(["data: {}\n\n"], { ending: "stall" }));
    expect([...asked(second), ...asked(third)]).toEqual([]);
  });

  it("is streamed again as the vendor streams it", async () => {
    const { openai } = await caller();
    const event = { type: "response.completed", sequence_number: 8, response: responseOf(id) };
    second.play((response, request) => {
      if (!request.path.includes("stream=true")) return keeping(id)(response, request);
      return stream([`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`])(
        response,
        request,
      );
    });
    const events = [];
    const options = { stream: true as const, starting_after: 7 };
    for await (const one of await openai.responses.retrieve(id, options)) events.push(one);
    expect(events).toEqual([event]);
    expect(asked(second)).toEqual([`GET ${path}`, `GET ${path}?stream=true&starting_after=7`]);
  });
});

describe("an answer that nobody keeps", () => {
  it("[lasting.nowhere] is 404 in the responses dialect, and 502 when somebody could not be asked", async () => {
    const { secret: token } = await caller();
    const nowhere = await causeway.call("GET", path, { token });
    expect(nowhere).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(nowhere.headers.get("request-id")).toBe(nowhere.body.error.request_id);
    for (const silent of [
      reset,
      json({ error: "away" }, 503),
      json({ error: { message: "bad key" } }, 401),
      json({}, 302, { location: "http://127.0.0.1:1/" }),
    ]) {
      second.play(silent);
      for (const [method, suffix] of [
        ["GET", ""],
        ["GET", "/input_items"],
        ["DELETE", ""],
        ["POST", "/cancel"],
      ] as const) {
        const answer = await causeway.call(method, path + suffix, { token });
        expect([answer.status, answer.body.error.code]).toEqual([502, "upstream_unreachable"]);
        expect(answer.body.error.message).toContain("`second`");
      }
    }
    expect(asked(third).every((line) => line.startsWith("GET"))).toBe(true);
  });

  it("[lasting.ids] is not waited for longer than five seconds, and found behind whoever is silent", async () => {
    const { openai, secret: token } = await caller();
    first.play(stall);
    third.play(keeping(id));
    const begun = performance.now();
    const [found, missing] = await Promise.all([
      openai.responses.retrieve(id),
      causeway.call("GET", `${path}_unknown`, { token }),
    ]);
    expect(found.id).toBe(id);
    expect(missing).toMatchObject({ status: 502 });
    expect(performance.now() - begun).toBeGreaterThan(4500);
    expect(performance.now() - begun).toBeLessThan(7000);
  }, 20_000);

  it.each(["turn_1", "a.b", `r${"x".repeat(128)}`, "a%2Fb", "%20"])(
    "[lasting.ids] is asked of nobody under the id %s",
    async (odd) => {
      const { secret: token } = await caller();
      for (const method of ["GET", "DELETE"]) {
        const answer = await causeway.call(method, `/v1/responses/${odd}`, { token });
        expect(answer).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
      }
      expect([first, second, third].flatMap(asked)).toEqual([]);
    },
  );

  it("[lasting.key] is asked of nobody for a key whose route is credits", async () => {
    const { openai } = await caller({ route: "credits" });
    first.play(keeping(id));
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(asked(first)).toEqual([]);
  });

  it("[lasting.key] is 404 for a key that may not use its model, whatever it asks", async () => {
    second.play(keeping(id));
    const { secret: token } = await caller({ allowed_models: ["second/m", "first/*"] });
    for (const [method, suffix] of [
      ["GET", ""],
      ["GET", "?stream=true"],
      ["GET", "/input_items"],
      ["DELETE", ""],
      ["POST", "/cancel"],
    ] as const) {
      const answer = await causeway.call(method, path + suffix, { token });
      expect([suffix, answer.status]).toEqual([suffix, 404]);
    }
    expect(asked(second).filter((line) => !line.startsWith(`GET ${path}`))).toEqual([]);
    const allowed = await caller({ allowed_models: ["second/m-*"] });
    expect((await allowed.openai.responses.retrieve(id)).id).toBe(id);
    await allowed.openai.responses.delete(id);
  });

  it("[lasting.key] is not another account's", async () => {
    const [mine, other] = [await caller({}, ["second"]), await caller({}, ["first"])];
    second.play(keeping(id));
    await mine.openai.responses.create({ model: "second/m", input });
    await expect(other.openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(asked(second)).toEqual(["POST /v1/responses"]);
  });
});

describe("the vendor that is asked alone", () => {
  async function remembered(fields: Record<string, unknown> = {}) {
    const made = await caller(fields);
    second.play(keeping(id));
    await made.openai.responses.create({ model: "second/m", input });
    return made;
  }

  it("[lasting.asked-alone] has its own error passed on in the dialect, without its secrets", async () => {
    const { openai } = await remembered();
    const message = "Cannot cancel a synchronous response, by key of second.";
    second.play(json({ error: { message, type: "invalid_request_error", param: "x" } }, 400));
    const refusal = await openai.responses.cancel(id).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 400, param: "x", type: "invalid_request_error" });
    expect(String(refusal)).toContain("Cannot cancel a synchronous response");
    expect(String(refusal)).not.toContain("key of second");
    second.play(json({ error: { message: "slow down" } }, 429, { "retry-after": "7" }));
    const limited = await openai.responses.retrieve(id).catch((error: unknown) => error);
    expect(limited).toMatchObject({ status: 429 });
    expect((limited as InstanceType<typeof OpenAI.APIError>).headers?.get("retry-after")).toBe("7");
    expect([...asked(first), ...asked(third)]).toEqual([]);
  });

  it("is 502 when it cannot be reached, and 404 when it has forgotten or is unlinked", async () => {
    const { user, openai } = await remembered();
    second.play(reset);
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({
      status: 502,
      code: "upstream_unreachable",
    });
    second.play(unknown);
    await expect(openai.responses.delete(id)).rejects.toMatchObject({
      status: 404,
      code: "not_found",
    });
    const { session: token } = user;
    await causeway.call("DELETE", "/v1/vendors/second/credential", { token });
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect([...asked(first), ...asked(third)]).toEqual([]);
  });

  it("passes on nothing that is neither JSON nor events", async () => {
    const { openai } = await remembered();
    second.play(text("<script>", 200, { "content-type": "text/html" }));
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({
      status: 502,
      code: "upstream_malformed",
    });
  });
});
