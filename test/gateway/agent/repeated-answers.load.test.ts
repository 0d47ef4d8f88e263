/** Approvals that a client sends again, as official clients do when a connection breaks. */
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModernServer, textResult, type ServedCall } from "../../agent/tools/mcp-servers.ts";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { openSocket } from "../websocket/socket-client.ts";
import {
  clientsOf,
  scriptedOutput,
  startAgentCaller,
  type AgentCaller,
  type ScriptedToolCall,
} from "./agent-caller.ts";

type Input = OpenAI.Responses.ResponseInput;
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

let servers: TwoInstances;
let first: TestInstance;
let second: TestInstance;

beforeAll(async () => {
  servers = await startTwoInstances();
  ({ first, second } = servers);
});

afterAll(() => servers.close());

const chat = "dialect_chat";
const question = { role: "user" as const, content: "Buy it." };
const buy: ScriptedToolCall = { id: "call_1", name: "buy", arguments: '{"sku":7}' };
const sell: ScriptedToolCall = { id: "call_2", name: "sell", arguments: "{}" };

/** A caller whose server's tools need an approval, and the calls that reach the server. */
async function startShop() {
  const calls: ServedCall[] = [];
  const gate = { open: Promise.resolve() };
  const server = await startModernServer({
    tools: [{ name: "buy" }, { name: "sell" }],
    call: async (params) => {
      calls.push(params);
      await gate.open;
      return textResult(`${params.name} is done`);
    },
  });
  const caller = await startAgentCaller(first);
  const body = { kind: "mcp", name: "Shop", url: server.url, approval: "always" };
  const made = await first.call("POST", "/v1/items", { token: caller.user.session, body });
  expect(made.status).toBe(201);
  caller.upstream.play(scriptedOutput(chat, { text: "Bought." }));
  return { caller, calls, gate };
}

interface AskedApproval {
  readonly response: OpenAI.Responses.Response;
  readonly session: string;
  readonly ids: readonly string[];
}

/** A turn that ends with requests for approvals. */
async function askApproval(
  { openai, upstream }: AgentCaller,
  calls: readonly ScriptedToolCall[] = [buy],
): Promise<AskedApproval> {
  upstream.playOnce(scriptedOutput(chat, { calls }));
  const { data, response } = await openai.responses
    .create({ model: "agent", input: [question] })
    .withResponse();
  const ids = data.output.flatMap((item) => (item.type === "mcp_approval_request" ? item.id : []));
  expect(ids).toHaveLength(calls.length);
  return { response: data, session: response.headers.get("x-svc-session") ?? "", ids };
}

function decision(id: string | undefined, approve = true) {
  return { type: "mcp_approval_response" as const, approval_request_id: id ?? "", approve };
}

interface Sending {
  readonly body: Body;
  readonly headers: Record<string, string>;
}

/** How a client may say what it decides on. */
const ways: readonly (readonly [string, (asked: AskedApproval, input: Input) => Sending])[] = [
  [
    "naming the response",
    ({ response }, input) => ({
      body: { model: "agent", input, previous_response_id: response.id },
      headers: {},
    }),
  ],
  [
    "naming the session",
    ({ session }, input) => ({
      body: { model: "agent", input },
      headers: { "x-svc-session": session },
    }),
  ],
  [
    "naming the session, with the whole history",
    ({ response, session }, input) => ({
      body: { model: "agent", input: [question, ...(response.output as Input), ...input] },
      headers: { "x-svc-session": session },
    }),
  ],
  [
    "sending the whole history",
    ({ response }, input) => ({
      body: { model: "agent", input: [question, ...(response.output as Input), ...input] },
      headers: {},
    }),
  ],
];

function send({ openai }: Pick<AgentCaller, "openai">, { body, headers }: Sending) {
  return openai.responses.create(body, { headers });
}

async function eventsOf({ openai }: Pick<AgentCaller, "openai">, { body, headers }: Sending) {
  const stream = await openai.responses.create({ ...body, stream: true }, { headers });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each(ways)("an approval that is sent again, %s,", (_way, sendingOf) => {
  it("joins the turn that it began, at any process", async () => {
    const { caller, calls } = await startShop();
    const elsewhere = clientsOf(second, caller.secret);
    const asked = await askApproval(caller);
    const sending = sendingOf(asked, [decision(asked.ids[0])]);
    const once = await send(caller, sending);
    expect(once.output).toMatchObject([{ type: "mcp_call" }, { type: "message" }]);
    const dialled = caller.bodies().length;
    for (const client of [caller, elsewhere, caller]) {
      const again = await client.openai.responses
        .create(sending.body, { headers: sending.headers })
        .withResponse();
      expect(again.data).toEqual(once);
      expect(again.response.headers.get("x-svc-turn")).toBe(once.id);
    }
    expect(calls).toHaveLength(1);
    expect(caller.bodies()).toHaveLength(dialled);
  });

  it("joins that turn when twelve are sent at a time to two processes", async () => {
    const { caller, calls } = await startShop();
    const elsewhere = clientsOf(second, caller.secret);
    const asked = await askApproval(caller);
    const sending = sendingOf(asked, [decision(asked.ids[0])]);
    const clients = Array.from({ length: 6 }, () => [caller, elsewhere]).flat();
    const answers = await Promise.all(clients.map((client) => send(client, sending)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(calls).toHaveLength(1);
    expect(answers[0]?.output_text).toBe("Bought.");
  });

  it("follows the running turn after a connection that broke before its headers", async () => {
    const { caller, calls, gate } = await startShop();
    const asked = await askApproval(caller);
    const sending = sendingOf(asked, [decision(asked.ids[0])]);
    const held = Promise.withResolvers<void>();
    gate.open = held.promise;
    const broken = new AbortController();
    const lost = caller.openai.responses.create(sending.body, {
      headers: sending.headers,
      signal: broken.signal,
    });
    await waitUntil(() => calls.length === 1);
    broken.abort();
    await expect(lost).rejects.toThrow("abort");
    const streamed = eventsOf(clientsOf(second, caller.secret), sending);
    const background = await send(caller, {
      ...sending,
      body: { ...sending.body, background: true },
    });
    expect(background.status).toBe("in_progress");
    held.resolve();
    const events = await streamed;
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { id: background.id },
    });
    expect(await eventsOf(caller, sending)).toEqual(events);
    expect(calls).toHaveLength(1);
  });

  it("is refused when it decides otherwise, and its `param` names the item", async () => {
    const { caller, calls } = await startShop();
    for (const approve of [true, false]) {
      const asked = await askApproval(caller);
      await send(caller, sendingOf(asked, [decision(asked.ids[0], approve)]));
      const made = calls.length;
      const other = sendingOf(asked, [decision(asked.ids[0], !approve)]);
      const place = (other.body.input as Input).length - 1;
      await expect(send(caller, other)).rejects.toMatchObject({
        status: 400,
        param: `input[${place}]`,
      });
      expect(calls).toHaveLength(made);
    }
    expect(calls).toHaveLength(1);
  });

  it("calls nothing when a message stands behind it, which begins a turn", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const decided = decision(asked.ids[0]);
    const once = await send(caller, sendingOf(asked, [decided]));
    const more = sendingOf(asked, [decided, { role: "user", content: "And now?" }]);
    const next = await send(caller, more);
    expect(next.id).not.toBe(once.id);
    expect(next.output).toMatchObject([{ type: "message" }]);
    expect(JSON.stringify(caller.bodies().at(-1))).toContain("And now?");
    expect(calls).toHaveLength(1);
  });

  it("joins its turn when the message that came with it is sent again as well", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const sending = sendingOf(asked, [decision(asked.ids[0]), { role: "user", content: "Go." }]);
    const once = await send(caller, sending);
    expect(once.output).toMatchObject([{ type: "mcp_call" }, { type: "message" }]);
    expect(await send(caller, sending)).toEqual(once);
    expect(calls).toHaveLength(1);
  });
});

describe("an approval", () => {
  it("joins its turn over WebSocket, on a connection that was opened anew", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const input = [decision(asked.ids[0])];
    const body = { model: "agent", previous_response_id: asked.response.id, input };
    const told = await (await openSocket(first.url, caller.secret)).ask(body);
    const again = await (await openSocket(second.url, caller.secret)).ask(body);
    expect(again).toEqual(told);
    expect(await eventsOf(caller, { body, headers: {} })).toEqual(told);
    expect(calls).toHaveLength(1);
  });

  it("is decided by one of several ways that are tried at a time", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const sendings = ways.map(([, sendingOf]) => sendingOf(asked, [decision(asked.ids[0])]));
    const answers = await Promise.all(sendings.map((sending) => send(caller, sending)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(calls).toHaveLength(1);
  });

  it("wins alone when it is given and refused at a time", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const answers = await Promise.allSettled(
      [true, false, true, false].map((approve) => {
        const input = [decision(asked.ids[0], approve)];
        const body = { model: "agent", previous_response_id: asked.response.id, input };
        return send(caller, { body, headers: {} });
      }),
    );
    const ids = answers.flatMap((one) => (one.status === "fulfilled" ? one.value.id : []));
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    for (const one of answers) {
      if (one.status === "rejected") expect(one.reason).toMatchObject({ param: "input[0]" });
    }
    expect(calls.length).toBeLessThanOrEqual(1);
  });

  it("is decided beside one that was decided before, which is not called again", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller, [buy, sell]);
    const previous_response_id = asked.response.id;
    const [one, other] = asked.ids.map((id) => decision(id));
    if (one === undefined || other === undefined) throw new Error("two are asked for");
    const alone = await send(caller, {
      body: { model: "agent", input: [one], previous_response_id },
      headers: {},
    });
    const both = { model: "agent", input: [one, other], previous_response_id };
    const rest = await send(caller, { body: both, headers: {} });
    expect(rest.id).not.toBe(alone.id);
    expect(rest.output).toMatchObject([{ type: "mcp_call", name: "sell" }, { type: "message" }]);
    expect(JSON.stringify(caller.bodies().at(-1))).toContain("made in another turn");
    expect(await send(caller, { body: both, headers: {} })).toEqual(rest);
    expect(calls.map(({ name }) => name)).toEqual(["buy", "sell"]);
  });

  it("is given together with another, once each", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller, [buy, sell]);
    const input = asked.ids.map((id) => decision(id));
    const body = { model: "agent", input, previous_response_id: asked.response.id };
    const answers = await Promise.all(
      [body, { ...body, input: input.toReversed() }, body].map((sent) =>
        send(caller, { body: sent, headers: {} }),
      ),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(calls.map(({ name }) => name).toSorted()).toEqual(["buy", "sell"]);
  });

  it("is unknown to another account", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const body = { model: "agent", input: [decision(asked.ids[0])] };
    const headers = { "x-svc-session": asked.session };
    const { id } = await send(caller, { body, headers });
    const stranger = await startAgentCaller(second);
    const refusal: unknown = await send(stranger, { body, headers }).catch((error) => error);
    expect(refusal).toMatchObject({ status: 400, param: "input[0]" });
    expect(String(refusal)).not.toContain(id);
    expect(calls).toHaveLength(1);
  });

  it("is refused while it is neither true nor false, and can be given after that", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const body = (approve: unknown) => ({
      model: "agent",
      input: [{ ...decision(asked.ids[0]), approve: approve as boolean }],
      previous_response_id: asked.response.id,
    });
    await expect(send(caller, { body: body("true"), headers: {} })).rejects.toMatchObject({
      status: 400,
      param: "input[0].approve",
    });
    await send(caller, { body: body(true), headers: {} });
    expect(calls).toHaveLength(1);
  });

  it("stays decided when its turn is deleted", async () => {
    const { caller, calls } = await startShop();
    const asked = await askApproval(caller);
    const input = [decision(asked.ids[0])];
    const body = { model: "agent", input, previous_response_id: asked.response.id };
    const { id } = await send(caller, { body, headers: {} });
    expect((await caller.call("DELETE", `/v1/responses/${id}`)).status).toBe(200);
    await expect(send(caller, { body, headers: {} })).rejects.toMatchObject({
      status: 400,
      param: "input[0]",
    });
    expect(calls).toHaveLength(1);
  });
});
