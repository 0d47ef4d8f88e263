import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type AgentCaller } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const chat = "dialect_chat";
const session = (name: string) => ({ headers: { "x-svc-session": name } });
const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content });

/** What the last model call was sent of the conversation: roles and texts. */
function lastSaid({ bodies }: AgentCaller): readonly string[] {
  const messages = bodies().at(-1)?.["messages"] as { role: string; content: unknown }[];
  return messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => `${role}: ${String(content)}`);
}

describe("a thread", () => {
  it("[agent.thread] [agent.history] is gone on with by its name: only the last message is added, whatever else is sent", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream } = caller;
    upstream.playOnce(
      scriptedOutput(chat, { text: "One." }),
      scriptedOutput(chat, { text: "Two." }),
    );
    await openai.chat.completions.create(
      { model: "agent", messages: [user("First?")] },
      session("talk"),
    );
    const second = await openai.chat.completions
      .create(
        { model: "agent", messages: [user("Never said"), assistant("Neither"), user("Second?")] },
        session("talk"),
      )
      .withResponse();
    expect(second.response.headers.get("x-svc-session")).toBe("talk");
    expect(lastSaid(caller)).toEqual(["user: First?", "assistant: One.", "user: Second?"]);
  });

  it("[agent.history] begins with what the first call brings, in all dialects", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, anthropic, upstream } = caller;
    upstream.play(scriptedOutput(chat, { text: "Yes." }));
    const messages = [user("Who?"), assistant("Bo."), user("Sure?")];
    const said = ["user: Who?", "assistant: Bo.", "user: Sure?"];
    await openai.chat.completions.create({ model: "agent", messages }, session("one"));
    expect(lastSaid(caller)).toEqual(said);
    await anthropic.messages.create({ model: "agent", max_tokens: 99, messages }, session("two"));
    expect(lastSaid(caller)).toEqual(said);
    await openai.responses.create({ model: "agent", input: messages }, session("three"));
    expect(lastSaid(caller)).toEqual(said);
    const next = { model: "agent", input: "And now?" };
    await openai.responses.create(next, session("two"));
    expect(lastSaid(caller)).toEqual([...said, "assistant: Yes.", "user: And now?"]);
  });

  it("[identity.account-threads] [agent.thread] is another with every call that names none, and another account's by the same name", async () => {
    const caller = await startAgentCaller(causeway);
    const other = await startAgentCaller(causeway);
    const names: (string | null)[] = [];
    for (const { openai, upstream } of [caller, caller, other]) {
      upstream.play(scriptedOutput(chat, { text: "Hi." }));
      const { response } = await openai.responses
        .create({ model: "agent", input: "Hello" })
        .withResponse();
      names.push(response.headers.get("x-svc-session"));
    }
    expect(new Set(names).size).toBe(3);
    const options = session(names[0] ?? "");
    await other.openai.responses.create({ model: "agent", input: "Mine?" }, options);
    expect(lastSaid(other)).toEqual(["user: Mine?"]);
  });

  it("[agent.previous] is named by the response that stands last in it, and forked behind an older one", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream } = caller;
    const ask = (input: string, previous_response_id?: string) => {
      upstream.play(scriptedOutput(chat, { text: `${input}!` }));
      const body = { model: "agent", input, ...(previous_response_id && { previous_response_id }) };
      return openai.responses.create(body).withResponse();
    };
    const one = await ask("a");
    const two = await ask("b", one.data.id);
    const name = one.response.headers.get("x-svc-session");
    expect(two.response.headers.get("x-svc-session")).toBe(name);
    expect(two.data.previous_response_id).toBe(one.data.id);
    expect(lastSaid(caller)).toEqual(["user: a", "assistant: a!", "user: b"]);
    const fork = await ask("c", one.data.id);
    const forked = fork.response.headers.get("x-svc-session");
    expect(forked).not.toBe(name);
    expect(lastSaid(caller)).toEqual(["user: a", "assistant: a!", "user: c"]);
    await ask("d", fork.data.id);
    expect(lastSaid(caller)).toEqual([
      "user: a",
      "assistant: a!",
      "user: c",
      "assistant: c!",
      "user: d",
    ]);
    const elsewhere = openai.responses.create(
      { model: "agent", input: "e", previous_response_id: one.data.id },
      session("other"),
    );
    await expect(elsewhere).rejects.toMatchObject({ status: 400, param: "x-svc-session" });
    const nowhere = openai.responses.create({
      model: "agent",
      input: "e",
      previous_response_id: "turn_none",
    });
    await expect(nowhere).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });

  it("is counted by the response that stands last in it", async () => {
    const { openai, upstream, call } = await startAgentCaller(causeway);
    upstream.play(scriptedOutput(chat, { text: "12345678" }));
    const { id } = await openai.responses.create({ model: "agent", input: "1234" });
    const body = { model: "agent", input: "abcd", previous_response_id: id };
    const counted = await call("POST", "/v1/responses/input_tokens", body);
    expect(counted).toMatchObject({ status: 200, body: { input_tokens: 4 } });
    const unknown = { ...body, previous_response_id: "turn_none" };
    expect((await call("POST", "/v1/responses/input_tokens", unknown)).status).toBe(400);
  });

  it("[agent.previous] goes on from the answer of an ordinary model", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream } = caller;
    upstream.play(scriptedOutput(chat, { text: "Bo." }));
    const { id } = await openai.responses.create({ model: "custom/box/m", input: "Name?" });
    const turn = await openai.responses.create({
      model: "agent",
      input: "Again?",
      previous_response_id: id,
    });
    expect(turn.status).toBe("completed");
    expect(lastSaid(caller)).toEqual(["user: Name?", "assistant: Bo.", "user: Again?"]);
  });

  it("[shape.thread] [agent.thread-deleted] is listed, shown with what was said, and deleted with its turns", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream, call } = caller;
    upstream.play(scriptedOutput(chat, { text: "Bo." }));
    const first = await openai.responses.create({ model: "agent", input: "Name?" }, session("t"));
    await openai.chat.completions.create(
      { model: "agent-fast", messages: [user("Age?")] },
      session("t"),
    );
    expect((await call("GET", "/v1/agent/threads")).body).toMatchObject({
      object: "list",
      data: [{ object: "thread", session: "t", turns_count: 2 }],
      has_more: false,
      first_id: "t",
      last_id: "t",
    });
    const { body } = await call("GET", "/v1/agent/threads/t");
    expect(body).toMatchObject({
      object: "thread",
      session: "t",
      turns: [
        {
          id: first.id,
          object: "turn",
          status: "completed",
          model: "agent",
          messages: [
            { role: "user", content: "Name?" },
            { role: "assistant", content: [{ text: "Bo." }] },
          ],
        },
        { status: "completed", model: "agent-fast" },
      ],
    });
    expect(await call("DELETE", "/v1/agent/threads/t")).toMatchObject({
      status: 200,
      body: { id: "t", object: "thread", deleted: true },
    });
    expect((await call("GET", "/v1/agent/threads/t")).status).toBe(404);
    expect((await call("GET", `/v1/responses/${first.id}`)).status).toBe(404);
    await openai.responses.create({ model: "agent", input: "Who?" }, session("t"));
    expect(lastSaid(caller)).toEqual(["user: Who?"]);
  });

  it("keeps one whose turn was deleted", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream } = caller;
    upstream.play(scriptedOutput(chat, { text: "Yes." }));
    const { id } = await openai.responses.create({ model: "agent", input: "a" }, session("t"));
    await openai.responses.delete(id);
    const messages = [user("b"), assistant("B!"), user("c")];
    await openai.chat.completions.create({ model: "agent", messages }, session("t"));
    expect(lastSaid(caller)).toEqual(["user: b", "assistant: B!", "user: c"]);
  });
});

describe("a thread of which a turn with a tool call was deleted", () => {
  it("leaves out the result of the call in later turns", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream } = caller;
    const calls = [{ id: "call_1", name: "look", arguments: "{}" }];
    upstream.playOnce(scriptedOutput(chat, { calls }));
    const tools = [{ type: "function" as const, name: "look", parameters: {}, strict: null }];
    const asked = { model: "agent", tools, input: "Look" };
    const { id } = await openai.responses.create(asked, session("t"));
    upstream.play(scriptedOutput(chat, { text: "Seen." }));
    const result = { type: "function_call_output" as const, call_id: "call_1", output: "Fog" };
    const second = await openai.responses.create({ ...asked, input: [result] }, session("t"));
    await openai.responses.delete(id);
    await openai.responses.create({ model: "agent", input: "Next" }, session("t"));
    expect(lastSaid(caller)).toEqual(["assistant: Seen.", "user: Next"]);
    const behind = { model: "agent", input: "Again", previous_response_id: second.id };
    await openai.responses.create(behind);
    expect(lastSaid(caller)).toEqual(["assistant: Seen.", "user: Again"]);
  });
});

describe("an alias at the beginning of the last message", () => {
  it("[agent.alias] chooses the model of the turn, and is not shown to it", async () => {
    const caller = await startAgentCaller(causeway);
    const { openai, upstream, user: owner } = caller;
    const body = { vendor: "custom/box", model_id: "other" };
    await causeway.call("PUT", "/v1/aliases/clever", { token: owner.session, body });
    upstream.play(scriptedOutput(chat, { text: "Yes." }));
    await openai.chat.completions.create({
      model: "agent",
      messages: [user("@clever Are you?")],
    });
    expect(caller.bodies().at(-1)).toMatchObject({ model: "other" });
    expect(lastSaid(caller)).toEqual(["user: Are you?"]);
    await openai.responses.create({
      model: "agent",
      input: [{ role: "user", content: [{ type: "input_text", text: "@clever Again?" }] }],
    });
    expect(caller.bodies().at(-1)).toMatchObject({ model: "other" });
    await openai.responses.create({ model: "agent", input: "@nobody knows, @clever" });
    expect(caller.bodies().at(-1)).toMatchObject({ model: "m" });
    expect(lastSaid(caller)).toEqual(["user: @nobody knows, @clever"]);
    const empty = openai.responses.create({ model: "agent", input: "@clever " });
    await expect(empty).rejects.toMatchObject({ status: 400, param: "input" });
  });
});
