/** Which server an approved call reaches when its label has gone to another. */
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModernServer, textResult } from "../../agent/tools/mcp-servers.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type AgentCaller } from "./agent-caller.ts";

type Input = OpenAI.Responses.ResponseInput;
type Tools = OpenAI.Responses.Tool[];
type Answering = "the response" | "the whole history";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const chat = "dialect_chat";
const refusal = "not there in this turn";

/** A server with the tool `buy`, and how often and with which arguments that was called. */
async function startShop() {
  const calls: unknown[] = [];
  const server = await startModernServer({
    tools: [{ name: "buy" }],
    call: ({ arguments: sent }) => {
      calls.push(sent);
      return textResult("bought");
    },
  });
  return { url: server.url, calls: () => calls.length, arguments: () => calls };
}

function declared(url: string): Tools {
  return [{ type: "mcp", server_label: "Vault", server_url: url }];
}

async function addItem({ user }: AgentCaller, name: string, url: string, approval = "always") {
  const body = { kind: "mcp", name, url, approval };
  const made = await causeway.call("POST", "/v1/items", { token: user.session, body });
  expect(made.status).toBe(201);
  return `/v1/items/${(made.body as { id: string }).id}`;
}

/** Asks for the call of a tool; returns how to approve it. */
async function ask(caller: AgentCaller, tool: string, tools: Tools = []) {
  const { openai, upstream } = caller;
  const calls = [{ id: "call_1", name: tool, arguments: '{"sku":7}' }];
  upstream.playOnce(scriptedOutput(chat, { calls }), scriptedOutput(chat, { text: "Done." }));
  const question = { role: "user" as const, content: "Buy." };
  const first = await openai.responses.create({ model: "agent", input: [question], tools });
  const asked = first.output.find(({ type }) => type === "mcp_approval_request");
  expect(asked).toBeDefined();
  const approval = {
    type: "mcp_approval_response" as const,
    approval_request_id: String(asked?.id),
    approve: true,
  };
  return (how: Answering, again: Tools = tools) => {
    const input: Input = [question, ...(first.output as Input), approval];
    const request =
      how === "the response" ? { previous_response_id: first.id, input: [approval] } : { input };
    return openai.responses.create({ model: "agent", ...request, tools: again });
  };
}

function lastBody({ bodies }: AgentCaller): string {
  return JSON.stringify(bodies().at(-1));
}

describe("a call whose id the model's endpoint repeats", () => {
  it.each(["dialect_responses", "dialect_chat", "dialect_messages"] as const)(
    "[agent.approval] is made with the arguments that were approved (%s)",
    async (dialect) => {
      const shop = await startShop();
      const caller = await startAgentCaller(causeway, dialect);
      await addItem(caller, "Shop", shop.url);
      const calls = ["1", "1000"].map((sku) => ({
        id: "call_1",
        name: "buy",
        arguments: `{"sku":${sku}}`,
      }));
      const done = scriptedOutput(dialect, { text: "Done." });
      const again = scriptedOutput(dialect, { calls: calls.slice(0, 1) });
      caller.upstream.playOnce(scriptedOutput(dialect, { calls }), done, again, done);
      const first = await caller.openai.responses.create({ model: "agent", input: "Buy." });
      const approve = (response: OpenAI.Responses.Response) =>
        caller.openai.responses.create({
          model: "agent",
          previous_response_id: response.id,
          input: response.output
            .filter(({ type }) => type === "mcp_approval_request")
            .slice(0, 1)
            .map(({ id }) => ({
              type: "mcp_approval_response",
              approval_request_id: String(id),
              approve: true,
            })),
        });
      const second = await approve(first);
      expect(second.output[0]).toMatchObject({ type: "mcp_call", arguments: '{"sku":1}' });
      expect(shop.arguments()).toEqual([{ sku: 1 }]);
      const next = await caller.openai.responses.create({
        model: "agent",
        previous_response_id: second.id,
        input: "Again.",
      });
      await approve(next);
      expect(shop.arguments()).toEqual([{ sku: 1 }, { sku: 1 }]);
    },
  );
});

describe("a whole history with an approval", () => {
  /** A history whose call of `buy` waits for an approval, and the approval. */
  async function askedHistory(caller: AgentCaller) {
    const call = { id: "call_1", name: "buy", arguments: '{"sku":7}' };
    caller.upstream.playOnce(scriptedOutput(chat, { calls: [call] }));
    const question = { role: "user" as const, content: "Buy." };
    const { output } = await caller.openai.responses.create({ model: "agent", input: [question] });
    const request = output.find(({ type }) => type === "mcp_approval_request");
    const approval = {
      type: "mcp_approval_response" as const,
      approval_request_id: String(request?.id),
      approve: true,
    };
    return { question, output: output as Input, approval };
  }

  it("[agent.approval] is rejected when the arguments of its request were changed", async () => {
    const shop = await startShop();
    const caller = await startAgentCaller(causeway);
    await addItem(caller, "Shop", shop.url);
    const { question, output, approval } = await askedHistory(caller);
    const changed = JSON.parse(JSON.stringify(output).replaceAll("7}", "7000}")) as Input;
    const input = [question, ...changed, approval];
    await expect(caller.openai.responses.create({ model: "agent", input })).rejects.toMatchObject({
      status: 400,
      param: expect.stringContaining("input"),
    });
    expect(shop.calls()).toBe(0);
  });

  it("[agent.approval] is rejected when another account was asked", async () => {
    const shop = await startShop();
    const [asked, other] = [await startAgentCaller(causeway), await startAgentCaller(causeway)];
    await addItem(asked, "Shop", shop.url);
    await addItem(other, "Shop", shop.url);
    const { question, output, approval } = await askedHistory(asked);
    const input = [question, ...output, approval];
    await expect(other.openai.responses.create({ model: "agent", input })).rejects.toMatchObject({
      status: 400,
      param: expect.stringContaining("input"),
    });
    expect(shop.calls()).toBe(0);
  });
});

describe.each<Answering>(["the response", "the whole history"])(
  "a call that is approved with %s",
  (how) => {
    it("[agent.approval] reaches the server of the item that was asked about", async () => {
      const shop = await startShop();
      const caller = await startAgentCaller(causeway);
      await addItem(caller, "Shop", shop.url);
      const approve = await ask(caller, "buy");
      expect((await approve(how)).output.map(({ type }) => type)).toEqual(["mcp_call", "message"]);
      expect(shop.calls()).toBe(1);
    });

    it("[agent.approval] is not made where another item has its label after the item was deleted", async () => {
      const [shop, other] = [await startShop(), await startShop()];
      const caller = await startAgentCaller(causeway);
      const path = await addItem(caller, "Shop", shop.url);
      await addItem(caller, "Shop", other.url, "never");
      const approve = await ask(caller, "Shop__buy");
      await causeway.call("DELETE", path, { token: caller.user.session });
      expect((await approve(how)).output.map(({ type }) => type)).toEqual(["message"]);
      expect(lastBody(caller)).toContain(refusal);
      expect([shop.calls(), other.calls()]).toEqual([0, 0]);
    });

    it("[agent.approval] is not made where another item was renamed to its label", async () => {
      const [shop, other] = [await startShop(), await startShop()];
      const caller = await startAgentCaller(causeway);
      const path = await addItem(caller, "Harmless", other.url, "never");
      await addItem(caller, "Shop", shop.url);
      const approve = await ask(caller, "Shop__buy");
      const body = { name: "Shop" };
      await causeway.call("PATCH", path, { token: caller.user.session, body });
      await approve(how);
      expect(lastBody(caller)).toContain(refusal);
      expect([shop.calls(), other.calls()]).toEqual([0, 0]);
    });

    it("[agent.approval] is not made where an item has the label of a server that is not declared again", async () => {
      const [shop, other] = [await startShop(), await startShop()];
      const caller = await startAgentCaller(causeway);
      const approve = await ask(caller, "buy", declared(shop.url));
      await addItem(caller, "Vault", other.url, "never");
      await approve(how, []);
      expect(lastBody(caller)).toContain(refusal);
      expect([shop.calls(), other.calls()]).toEqual([0, 0]);
    });

    it("[agent.approval] is not made where its label is declared again with another address", async () => {
      const [shop, other] = [await startShop(), await startShop()];
      const caller = await startAgentCaller(causeway);
      const approve = await ask(caller, "buy", declared(shop.url));
      await approve(how, declared(other.url));
      expect(lastBody(caller)).toContain(refusal);
      expect([shop.calls(), other.calls()]).toEqual([0, 0]);
    });

    it("[agent.approval] is made where its server is declared again with another spelling of its address", async () => {
      const shop = await startShop();
      const caller = await startAgentCaller(causeway);
      const approve = await ask(caller, "buy", declared(shop.url));
      await approve(how, declared(shop.url.replace("http:", "HTTP:")));
      expect(shop.calls()).toBe(1);
    });
  },
);
