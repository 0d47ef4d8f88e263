import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLoopbackUpstream, type LoopbackUpstream } from "../../support/loopback-upstream.ts";
import { prototypeNames } from "../../support/prototype-names.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;

const born = { created: 1_700_000_000, created_at: "2023-11-14T22:13:20.000Z" };
const never = { created: 0, created_at: "1970-01-01T00:00:00.000Z" };
const odd = "a/b c?d#e%2F:é";

beforeAll(async () => {
  upstream = await startLoopbackUpstream([
    { id: "chatty", name: "Chatty", created: born.created },
    { id: "wordy", type: "model", display_name: "Wordy", created_at: born.created_at },
    { id: odd, created: 0 },
    ...prototypeNames,
  ]);
  const common = { base_url: upstream.baseUrl, dialects: ["dialect_chat"], auth: "bearer" };
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  causeway = await startTestInstance({
    file: {
      vendors: {
        one: { label: "One", ...common, models: ["shared", "sold", "agent", "two/x", "plain/x"] },
        two: { label: "Two", ...common, models: ["shared", "x"] },
        lists: { label: "Lists", ...common },
      },
      credits: {
        keys: { one: "operator" },
        catalog: [{ id: "sold", vendor: "one", model: "m", ...price }],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

async function caller(vendors: readonly string[], fields: Record<string, unknown> = {}) {
  const user = await causeway.createUser();
  const { session: token } = user;
  for (const vendor of vendors) {
    const body = { api_key: "k" };
    await causeway.call("PUT", `/v1/vendors/${vendor}/credential`, { token, body });
  }
  const body = { label: "Box", base_url: upstream.baseUrl, api_key: "k" };
  expect((await causeway.call("POST", "/v1/upstreams", { token, body })).status).toBe(201);
  const { secret } = await user.createKey(fields);
  return { user, secret, madeAt: Math.floor(Date.now() / 1000) };
}

async function entries(token: string): Promise<Record<string, unknown>[]> {
  return (await causeway.call("GET", "/v1/models", { token })).body.data;
}

describe("an entry of the model list", () => {
  it("[clients.model-fields] [clients.model-created] has the name and the time that its upstream tells, in the members of both clients", async () => {
    const { secret } = await caller(["lists"]);
    const list = await entries(secret);
    for (const prefix of ["lists/", "", "custom/box/"]) {
      const [chatty, wordy] = ["chatty", "wordy"].map((id) => `${prefix}${id}`);
      expect(list).toContainEqual(
        expect.objectContaining({ id: chatty, type: "model", display_name: "Chatty", ...born }),
      );
      expect(list).toContainEqual(
        expect.objectContaining({ id: wordy, object: "model", display_name: "Wordy", ...born }),
      );
    }
  });

  it("[clients.model-created] is else called by its id and as old as its endpoint or link", async () => {
    const { secret, madeAt } = await caller(["one", "lists"]);
    const list = await entries(secret);
    const unsaid = [odd, ...prototypeNames].flatMap((id) => [
      `lists/${id}`,
      id,
      `custom/box/${id}`,
    ]);
    for (const id of ["one/shared", ...unsaid]) {
      const entry = list.find((model) => model["id"] === id);
      expect(entry).toMatchObject({ type: "model", display_name: id });
      const created = Number(entry?.["created"]);
      expect(Math.abs(created - madeAt)).toBeLessThan(60);
      expect(entry?.["created_at"]).toBe(new Date(created * 1000).toISOString());
    }
  });

  it("[clients.model-created] of an agent or the catalogue is of the epoch", async () => {
    const { secret } = await caller([]);
    const list = await entries(secret);
    for (const id of ["agent", "agent-omni", "agent-fast", "sold"]) {
      expect(list).toContainEqual(expect.objectContaining({ id, display_name: id, ...never }));
    }
  });

  it("[clients.model-fields] is called as its endpoint's model_names say, from the next list on", async () => {
    const { user, secret } = await caller([]);
    await entries(secret);
    const body = { model_names: { chatty: "Mine" } };
    await causeway.call("PATCH", "/v1/upstreams/box", { token: user.session, body });
    await expect
      .poll(async () => (await entries(secret)).find(({ id }) => id === "custom/box/chatty"))
      .toMatchObject({ display_name: "Mine" });
  });
});

describe("bare ids", () => {
  const bareOf = async (secret: string) =>
    (await entries(secret))
      .filter(({ id, lane, owned_by: owner }) => {
        return lane === "byo" && !String(id).startsWith(`${String(owner)}/`);
      })
      .map(({ id, owned_by: owner }) => [id, owner]);

  it("[clients.bare-models] follow, once each, without what the catalogue lists or what names something else", async () => {
    const { secret } = await caller(["two", "one"]);
    expect(await bareOf(secret)).toEqual([
      ["shared", "two"],
      ["x", "two"],
      ["plain/x", "one"],
    ]);
    const lanes = (await entries(secret)).map(({ lane }) => lane);
    expect(lanes).toEqual(lanes.toSorted((one, other) => order(one) - order(other)));
  });

  it("[clients.bare-models] are listed where a call would be served", async () => {
    const { secret } = await caller(["two", "one"], { allowed_models: ["one/*", "two/x"] });
    expect(await bareOf(secret)).toEqual([
      ["x", "two"],
      ["plain/x", "one"],
    ]);
    expect(await bareOf((await caller(["two"], { route: "credits" })).secret)).toEqual([]);
  });

  function order(lane: unknown): number {
    return ["agent", "byo", "custom", "credits"].indexOf(String(lane));
  }
});

describe("GET /v1/models/{id}", () => {
  it("answers what the list has, its slashes as they are or escaped", async () => {
    const { secret: token } = await caller(["one", "lists"]);
    for (const entry of await entries(token)) {
      const id = String(entry["id"]);
      const escaped = encodeURIComponent(id);
      for (const path of [escaped, escaped.replaceAll("%2F", "/")]) {
        const answer = await causeway.call("GET", `/v1/models/${path}`, { token });
        expect([answer.status, answer.body]).toEqual([200, entry]);
      }
    }
  });

  it("answers what a call would not get", async () => {
    const { secret: token } = await caller(["one"], { allowed_models: ["nothing"] });
    expect(await causeway.call("GET", "/v1/models/one/shared", { token })).toMatchObject({
      status: 200,
      body: { id: "one/shared", available: false, reason: "model_not_allowed" },
    });
  });

  it("is 404 for anything else, in the flat form", async () => {
    const { secret: token } = await caller(["one"]);
    for (const id of ["none", "one/none", "custom/none/x", "", "%2F", "@one", "a".repeat(2100)]) {
      const answer = await causeway.call("GET", `/v1/models/${id}`, { token });
      expect([answer.status, answer.body.error]).toEqual([404, "not_found"]);
    }
  });

  it("needs a live key", async () => {
    const { user } = await caller([]);
    expect(await causeway.call("GET", "/v1/models/agent")).toMatchObject({ status: 401 });
    expect(await causeway.call("GET", "/v1/models/agent", { token: user.session })).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope" },
    });
  });

  it("[clients.model-fields] is what official clients retrieve and list", async () => {
    const { secret: apiKey } = await caller(["lists"]);
    const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: causeway.url, apiKey, maxRetries: 0 });
    for (const id of ["custom/box/chatty", `custom/box/${odd}`]) {
      expect((await openai.models.retrieve(id)).id).toBe(id);
      expect((await anthropic.models.retrieve(id)).id).toBe(id);
    }
    const ids = [];
    for await (const { id, type, display_name, created_at } of anthropic.models.list()) {
      expect([type, typeof display_name]).toEqual(["model", "string"]);
      expect(Date.parse(created_at)).not.toBeNaN();
      ids.push(id);
    }
    const listed = (await openai.models.list()).data;
    expect(listed.map(({ id }) => id)).toEqual(ids);
    await expect(openai.models.retrieve("none")).rejects.toMatchObject({ status: 404 });
    await expect(anthropic.models.retrieve("none")).rejects.toMatchObject({ status: 404 });
  });
});
