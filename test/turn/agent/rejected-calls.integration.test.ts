import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../../support/wait-until.ts";
import {
  itemsIn,
  openAgentEnvironment,
  ScriptedTools,
  type AgentEnvironment,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel } from "./scripted-model.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

async function hang({ signal }: { readonly signal: AbortSignal }): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

it("records 60 calls of unknown tools together, and another process takes over their results", async () => {
  const calls = Array.from({ length: 60 }, (_, index) => callOf("gone", {}, `call_${index}`));
  const first = new ScriptedModel((_body, number) => ({
    output: number === 1 ? calls : [],
    ...(number === 2 && { pause: hang }),
  }));
  const tools = new ScriptedTools([]);
  const id = await ground.start({ tools });
  const taken = await ground.take(first, { tools });
  await waitUntil(() => first.calls.length === 2);
  const names = await ground.database
    .fork()
    .execute<{ name: string }[]>(
      "select checkpoint_name as name from absurd.c_turns join absurd.t_turns using (task_id) where params ->> 'turn_id' = ?",
      [id],
    );
  expect(names.length).toBeLessThan(10);
  await taken.kill();
  const second = new ScriptedModel(() => ({ output: [message("Done.")] }));
  await (
    await ground.take(second, { tools })
  ).running;
  const results = itemsIn(second.bodies()[0]).filter(({ type }) => type === "function_call_output");
  expect(results).toHaveLength(60);
  expect(results[0]?.["output"]).toContain("gone");
  const ended = await ground.ended(id);
  expect(ended.faults).toEqual([]);
  expect(ended.response["status"]).toBe("completed");
});
