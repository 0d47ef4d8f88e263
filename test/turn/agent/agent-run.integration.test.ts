import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../support/wait-until.ts";
import {
  itemsIn,
  openAgentEnvironment,
  ownTool,
  ScriptedTools,
  textResult,
  type AgentEnvironment,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel, thought } from "./scripted-model.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

describe("an agent's turn without tools", () => {
  it("asks the engine's model with its instructions, the thread before it and what the turn adds", async () => {
    const history = [{ type: "message", role: "user", content: "Earlier." }];
    const tools = new ScriptedTools([], undefined, ["The rules."]);
    const model = new ScriptedModel(() => ({ output: [thought("s"), message("Hi.")] }));
    const ofTurn = { metadata: { a: "b" }, max_tool_calls: 3 };
    const body = { instructions: "The caller's.", temperature: 0.5, ...ofTurn };
    const turn = await ground.run(model, { history, tools, body });
    const [asked] = model.bodies();
    expect(asked).toMatchObject({
      model: "custom/box/m",
      instructions: "You are omni.\n\nThe rules.\n\nThe caller's.",
      temperature: 0.5,
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 32_000,
    });
    expect(asked).not.toHaveProperty("metadata");
    expect(asked).not.toHaveProperty("max_tool_calls");
    expect(asked).not.toHaveProperty("tools");
    expect(itemsIn(asked)).toEqual([
      ...history,
      { type: "message", role: "user", content: "Hello?" },
    ]);
    expect(turn.faults).toEqual([]);
    expect(tools.ended).toEqual([turn.id]);
    expect(turn.response).toMatchObject({
      id: turn.id,
      status: "completed",
      model: "agent-omni",
      completed_at: 1_700_000_000,
      usage: { input_tokens: 10, total_tokens: 14 },
      output: [{ type: "reasoning" }, message("Hi.")],
    });
    expect(JSON.stringify(turn.events)).not.toContain("encrypted_content");
    expect(turn.items).toEqual([
      { type: "message", role: "user", content: "Hello?" },
      thought("s"),
      message("Hi."),
    ]);
  });
});

describe("what is noted of the steps of an agent's turn", () => {
  it("[agent.sealed] is sealed, and gone with the end of the turn", async () => {
    const notes = () =>
      ground.database
        .fork()
        .execute<object[]>(
          "select checkpoint_name, c_turns.state from absurd.c_turns join absurd.t_turns using (task_id) where params ->> 'turn_id' = ?",
          [id],
        );
    const secret = "the-secret-word";
    const tools = new ScriptedTools([ownTool("look")], () => textResult(secret), [secret]);
    const release = Promise.withResolvers<void>();
    const model = new ScriptedModel((_body, number) => ({
      output: number === 1 ? [callOf("look", { secret })] : [message(secret)],
      ...(number === 2 && { pause: () => release.promise }),
    }));
    const id = await ground.start({ tools });
    const { running } = await ground.take(model, { tools });
    await waitUntil(() => model.calls.length === 2);
    const noted = await notes();
    expect(noted.length).toBeGreaterThanOrEqual(5);
    expect(JSON.stringify(noted)).not.toContain(secret);
    release.resolve();
    await running;
    expect(await notes()).toEqual([]);
    expect((await ground.ended(id)).response["status"]).toBe("completed");
  });
});
