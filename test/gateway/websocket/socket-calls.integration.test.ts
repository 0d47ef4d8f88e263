import { once } from "node:events";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { streamFrames } from "../stream-frames.ts";
import { pausedStream } from "../turn/paused-stream.ts";
import { frame, opening, openRaw, rest } from "./raw-socket.ts";
import { openSocket } from "./socket-client.ts";
import {
  answerOf,
  dialects,
  lastSent,
  modelOf,
  startSocketInstance,
  type SocketInstance,
} from "./socket-instance.ts";

let instance: SocketInstance;

beforeAll(async () => {
  instance = await startSocketInstance();
});

afterAll(() => instance.close());

const question = { model: modelOf("responses"), input: "Hello?" };

/** What a caller is told of a stream that breaks off, by the dialect of its upstream. */
const failures = [
  ["chat", { type: "response.failed", response: { status: "failed" } }],
  ["responses", { type: "error", status: 502, error: { code: "upstream_incomplete" } }],
] as const;

describe.each(dialects)("a message over WebSocket, %s upstream", (dialect) => {
  it("[socket.call] is a call whose events come as messages", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    upstream.play(answerOf(dialect));
    const client = await openSocket(causeway.url, secret);
    for (const input of ["One?", "Two?"]) {
      const events = await client.ask({ model: modelOf(dialect), input, stream: false });
      expect(events[0]).toMatchObject({ type: "response.created" });
      expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, at) => at));
      const text = events.map((event) => event["delta"] ?? "").join("");
      expect([text, events.at(-1)?.type]).toEqual(["Hé!", "response.completed"]);
    }
    expect(lastSent(upstream)).toMatchObject({ stream: true });
    expect(lastSent(upstream)).not.toHaveProperty("type");
  });

  it("[socket.previous] goes on from the connection's last answer, which nobody keeps", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    upstream.play(answerOf(dialect));
    const client = await openSocket(causeway.url, secret);
    const model = modelOf(dialect);
    const one = await client.ask({ model, input: "One?", store: false });
    const previous_response_id = one.at(-1)?.["response"].id;
    const again = { model, input: [{ role: "user", content: "Two?" }], previous_response_id };
    const two = await client.ask({ ...again, store: false });
    expect(two.at(-1)?.type).toBe("response.completed");
    const sent = lastSent(upstream);
    const said = JSON.stringify(sent["input"] ?? sent["messages"]);
    expect(said).toMatch(/One\?.*Hé!.*Two\?/);
    expect(sent).not.toHaveProperty("previous_response_id");
    const other = await openSocket(causeway.url, secret);
    upstream.play(json({ error: { message: "Not found." } }, 404));
    const [refused] = await other.ask({ ...again, store: false });
    expect(refused).toMatchObject({ type: "error", error: { message: expect.any(String) } });
  });
});

describe("an answer that only a connection knows", () => {
  it("[socket.previous] is unknown by the vendor's word on another connection, and after a call that went on from it failed", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    upstream.play(answerOf("chat"));
    const ask = { model: modelOf("chat"), store: false };
    const client = await openSocket(causeway.url, secret);
    const one = await client.ask({ ...ask, input: "One?" });
    const again = { ...ask, input: "Two?", previous_response_id: one.at(-1)?.["response"].id };
    const unknown = {
      type: "error",
      status: 400,
      error: {
        type: "invalid_request_error",
        code: "previous_response_not_found",
        param: "previous_response_id",
      },
    };
    const other = await openSocket(causeway.url, secret);
    expect(await other.ask(again)).toMatchObject([unknown]);
    upstream.play(json({ error: { message: "Not now." } }, 400));
    expect((await client.ask(again)).at(-1)).toMatchObject({ type: "error", status: 400 });
    upstream.play(answerOf("chat"));
    expect(await client.ask(again)).toMatchObject([unknown]);
    expect((await client.ask({ ...ask, input: "One?" })).at(-1)?.type).toBe("response.completed");
  });
});

describe("a message", () => {
  it("is refused when its previous_response_id is longer than any id", async () => {
    const { causeway, caller } = instance;
    const client = await openSocket(causeway.url, (await caller()).secret);
    const answer = await client.ask({ ...question, previous_response_id: "r".repeat(5000) });
    expect(answer).toMatchObject([{ status: 400, error: { param: "previous_response_id" } }]);
  });

  it("is not cached, with `generate: false`, when its conversation has more than 400,000 JSON values", async () => {
    const { causeway, upstream, caller } = instance;
    const client = await openSocket(causeway.url, (await caller()).secret);
    const x = Array<number>(250_000).fill(0);
    const warm = { ...question, input: [{ role: "user", content: "Hello", x }], generate: false };
    const [, first] = await client.ask(warm);
    const [, second] = await client.ask({ ...warm, previous_response_id: first?.["response"].id });
    const previous_response_id = second?.["response"].id;
    upstream.play(answerOf("responses"));
    await client.ask({ ...question, previous_response_id });
    // Its upstream may know the id.
    expect(lastSent(upstream)).toMatchObject({ previous_response_id });
  });

  it("[socket.warm] with generate: false asks nobody, and its id is gone on from", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret, session } = await caller();
    const client = await openSocket(causeway.url, secret);
    const before = upstream.requests.length;
    const warm = await client.ask({ ...question, instructions: "Be brief.", generate: false });
    expect(warm.map(({ type }) => type)).toEqual(["response.created", "response.completed"]);
    const response = warm[1]?.["response"];
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      status: "completed",
      output: [],
      usage: { total_tokens: 0 },
      instructions: "Be brief.",
    });
    expect(upstream.requests.length).toBe(before);
    upstream.play(answerOf("responses"));
    await client.ask({ ...question, input: "Now?", previous_response_id: response.id });
    expect(lastSent(upstream)["input"]).toEqual([
      { type: "message", role: "user", content: "Hello?" },
      { type: "message", role: "user", content: "Now?" },
    ]);
    // A call is kept when its answer has gone out, which its caller may have before.
    const kept = async () =>
      (await causeway.call("GET", "/v1/calls", { token: session })).body.data as unknown[];
    await waitUntil(async () => (await kept()).length > 0);
    expect(await kept()).toHaveLength(1);
  });

  it("[socket.call] reaches a vendor's dialect as it was sent, but for what is of the mode alone", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    upstream.play(answerOf("responses"));
    const client = await openSocket(causeway.url, secret);
    const text = `{ "generate": true , "model": "m", "input": "é", "x": 12345678901234567890, "type" : "response.create","stream":false}`;
    client.socket.send(text.replace('"m"', JSON.stringify(modelOf("responses"))));
    expect((await client.answer()).at(-1)?.type).toBe("response.completed");
    const sent = upstream.requests.at(-1)?.body.toString() ?? "";
    expect(JSON.parse(sent)).toEqual({
      model: "m",
      input: "é",
      x: expect.any(Number),
      stream: true,
    });
    expect(sent).toContain('"input": "é", "x": 12345678901234567890,');
  });

  it("[socket.one-at-a-time] while a call is under way is refused with 409, and the call goes on", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    const held = pausedStream();
    upstream.play(held.script);
    const client = await openSocket(causeway.url, secret);
    client.create({ model: modelOf("chat"), input: "One?" });
    await held.begun;
    client.create({ model: modelOf("chat"), input: "Two?" });
    let refused = await client.next();
    while (refused.type !== "error") refused = await client.next();
    expect(refused).toMatchObject({ status: 409, error: { code: "conflict" } });
    held.say("Good day.");
    held.end();
    expect((await client.answer()).at(-1)).toMatchObject({ type: "response.completed" });
  });

  it.each([
    ["no JSON", "{", 400, undefined],
    ["another type", '{"type":"response.cancel"}', 400, "type"],
    ["no type", '{"model":"m"}', 400, "type"],
    ["no model", '{"type":"response.create","input":"x"}', 400, "model"],
    ["no model to warm", '{"type":"response.create","generate":false}', 400, "model"],
    ["a member twice", '{"type":"response.create","input":1,"input":2}', 400, "input"],
  ])(
    "[socket.errors] that is none is refused, and the connection goes on: %s",
    async (_what, text, status, param) => {
      const { causeway, upstream, caller } = instance;
      const { secret } = await caller();
      const client = await openSocket(causeway.url, secret);
      client.socket.send(text);
      const refused = await client.next();
      expect(refused).toMatchObject({
        type: "error",
        status,
        error: { code: "invalid_request", type: "invalid_request_error" },
      });
      if (param !== undefined) expect(refused["error"].param).toBe(param);
      client.socket.send(Buffer.from("{}"), { binary: true });
      expect(await client.next()).toMatchObject({ type: "error", status: 400 });
      upstream.play(answerOf("responses"));
      expect((await client.ask(question)).at(-1)?.type).toBe("response.completed");
    },
  );

  it("[socket.each-message] is refused as a call would be: key, bucket, model", async () => {
    const { causeway, caller } = instance;
    const { secret, session, keyId } = await caller({
      rate_limit: { requests_per_minute: 1, burst: 2 },
    });
    const client = await openSocket(causeway.url, secret);
    const [unknown] = await client.ask({ model: "custom/nobody/m", input: "x" });
    expect(unknown).toMatchObject({ status: 403, headers: { "x-request-id": expect.any(String) } });
    await client.ask({ ...question, generate: false });
    const [limited] = await client.ask(question);
    expect(limited).toMatchObject({ status: 429, error: { code: "rate_limited" } });
    expect(Number(limited?.["headers"]["retry-after"])).toBeGreaterThan(0);
    const revoked = await causeway.call("DELETE", `/v1/keys/${keyId}`, { token: session });
    expect(revoked.status).toBe(200);
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  it("ends with its connection when the key expires", async () => {
    const { causeway, caller } = instance;
    const { session: token } = await caller();
    const body = { name: "short", expires_at: new Date(Date.now() + 2000).toISOString() };
    const made = await causeway.call("POST", "/v1/keys", { token, body });
    const client = await openSocket(causeway.url, made.body.secret);
    expect(await client.next()).toMatchObject({ type: "error", status: 403 });
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  it("ends with its connection when the expiry of its key is brought forward", async () => {
    const { causeway, caller } = instance;
    const { secret, session: token, keyId } = await caller();
    const client = await openSocket(causeway.url, secret);
    const body = { expires_at: new Date(Date.now() + 500).toISOString() };
    await causeway.call("PATCH", `/v1/keys/${keyId}`, { token, body });
    expect(await client.next()).toMatchObject({ type: "error", status: 403 });
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  it("ends with its connection when the key is revoked while it arrives", async () => {
    const { causeway, caller } = instance;
    const { secret, session, keyId } = await caller();
    const socket = await openRaw(causeway.url, secret);
    const whole = frame(opening.text, Buffer.alloc(1_000_000));
    const received = rest(socket);
    socket.write(whole.subarray(0, 900_000));
    await causeway.call("DELETE", `/v1/keys/${keyId}`, { token: session });
    expect((await received).toString()).toContain('"status":403');
  });

  it("[socket.headers] is a call of its own in the log, with the tags of the connection", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret, session } = await caller();
    upstream.play(answerOf("chat"));
    const headers = { "x-svc-tags": "project=alpha" };
    const client = await openSocket(causeway.url, secret, { headers });
    await client.ask({ model: modelOf("chat"), input: "One?" });
    await client.ask({ model: modelOf("chat"), input: "Two?" });
    const list = () => causeway.call("GET", "/v1/calls?tag=project:alpha", { token: session });
    await waitUntil(async () => (await list()).body.data.length === 2);
    const { body } = await list();
    expect(body.data[0]).toMatchObject({ operation: "createResponse", status: 200, stream: true });
    const lines = causeway.logLines().filter((line) => line["procedure"] === "response.create");
    expect(lines.map((line) => line["request_id"])).toContain(body.data[0].request_id);
  });

  it("[socket.close] is hung up on by closing, which ends the call to the upstream", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret, session } = await caller();
    const held = pausedStream();
    upstream.play(held.script);
    const client = await openSocket(causeway.url, secret);
    client.create({ model: modelOf("chat"), input: "One?" });
    await held.begun;
    await client.next();
    client.socket.close();
    await upstream.requests.at(-1)?.closed;
    const status = async (): Promise<unknown> => {
      const { body } = await causeway.call("GET", "/v1/calls", { token: session });
      return body.data[0]?.status;
    };
    await expect.poll(status, { timeout: 10_000 }).toBe(499);
  });

  it.each(failures)(
    "[socket.errors] whose stream fails is told once, %s upstream",
    async (dialect, told) => {
      const { causeway, upstream, caller } = instance;
      const { secret } = await caller();
      const model = modelOf(dialect);
      upstream.play(stream(streamFrames[dialect].slice(0, 2), { ending: "reset" }));
      const client = await openSocket(causeway.url, secret);
      expect((await client.ask({ model, input: "One?" })).at(-1)).toMatchObject(told);
      upstream.play(answerOf(dialect));
      const next = await client.ask({ model, input: "Two?" });
      expect([next[0]?.type, next.at(-1)?.type]).toEqual([
        "response.created",
        "response.completed",
      ]);
    },
  );
});

describe("the official client", () => {
  it("[socket.call] makes calls over WebSocket, one after the other", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    upstream.play(answerOf("messages"));
    const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret });
    const client = new ResponsesWS(openai);
    const completed = once(client as never, "response.completed");
    client.send({ type: "response.create", model: modelOf("messages"), input: "Hello?" } as never);
    const [event] = await completed;
    expect(event).toMatchObject({ response: { status: "completed" } });
    client.close();
  });
});
