import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { AgentToolCall } from "../../../src/domain/agent-turn.ts";
import {
  itemsIn,
  mcpTool,
  openAgentEnvironment,
  ownTool,
  ScriptedTools,
  textResult,
  type AgentEnvironment,
  type EndedTurn,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel } from "./scripted-model.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

const hello = { type: "message", role: "user", content: "Hello?" };

/** A model that says these outputs, one a call. */
function saying(...outputs: readonly (readonly JsonObject[])[]): ScriptedModel {
  return new ScriptedModel((_body, number) => ({ output: outputs[number - 1] ?? [] }));
}

function typesOf({ events }: EndedTurn): string[] {
  return events.map(({ name }) => name ?? "");
}

describe("tools of an agent", () => {
  it("[agent.shown-calls] are called with what the model wrote, told as calls, and their results are what it is asked with next", async () => {
    const calls = [callOf("look", { at: "x" }), callOf("shop_buy", { sku: 1 })];
    const model = saying([message("Wait."), ...calls], [message("Done.")]);
    const tools = new ScriptedTools([ownTool("look"), mcpTool("buy")]);
    const turn = await ground.run(model, { tools });
    expect(turn.faults).toEqual([]);
    expect(
      tools.calls.map(({ callName, arguments: text, receiver }) => [callName, text, receiver]),
    ).toEqual([
      [`${turn.id}/1/1`, '{"at":"x"}', { accountId: "user_1", userId: "user_1" }],
      [`${turn.id}/1/2`, '{"sku":1}', { accountId: "user_1", userId: "user_1" }],
    ]);
    const outputs = [
      { type: "function_call_output", call_id: "call_look", output: 'did {"at":"x"}' },
      { type: "function_call_output", call_id: "call_shop_buy", output: 'did {"sku":1}' },
    ];
    const said = [message("Wait."), ...calls];
    expect(itemsIn(model.bodies()[1])).toEqual([hello, ...said, ...outputs]);
    expect(turn.items).toEqual([hello, ...said, ...outputs, message("Done.")]);
    const output = turn.response["output"] as readonly JsonObject[];
    expect(output).toHaveLength(5);
    expect(output).toEqual(
      expect.arrayContaining([
        message("Wait."),
        calls[0],
        expect.objectContaining({ ...outputs[0], status: "completed" }),
        expect.objectContaining({
          type: "mcp_call",
          server_label: "shop",
          name: "buy",
          arguments: '{"sku":1}',
          output: 'did {"sku":1}',
          error: null,
          status: "completed",
          approval_request_id: null,
        }),
        message("Done."),
      ]),
    );
    expect(typesOf(turn)).toEqual(
      expect.arrayContaining([
        "response.mcp_call.in_progress",
        "response.mcp_call_arguments.delta",
        "response.mcp_call_arguments.done",
        "response.mcp_call.completed",
      ]),
    );
    expect(turn.response["usage"]).toMatchObject({
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 8,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 28,
    });
  });

  it("are called eight at a time", async () => {
    let [under, most] = [0, 0];
    const full = Promise.withResolvers<void>();
    const answer = async () => {
      under += 1;
      most = Math.max(most, under);
      // A ninth would come with the next notes, which take less.
      if (under === 8) setTimeout(full.resolve, 100);
      await full.promise;
      under -= 1;
      return textResult("ok");
    };
    const calls = Array.from({ length: 20 }, (_, at) => callOf("shop_buy", { at }, `call_${at}`));
    const tools = new ScriptedTools([mcpTool("buy")], answer);
    const model = saying(calls, [message("Done.")]);
    const turn = await ground.run(model, { tools });
    expect([most, tools.calls.length, turn.faults]).toEqual([8, 20, []]);
    const outputs = itemsIn(model.bodies()[1]).slice(21);
    expect(outputs.map(({ call_id }) => call_id)).toEqual(calls.map(({ call_id }) => call_id));
  });

  it("whose arguments a model leaves empty are called with none", async () => {
    const tools = new ScriptedTools([ownTool("look")]);
    const model = saying([callOf("look", "")], [message("Done.")]);
    const turn = await ground.run(model, { tools });
    expect(tools.calls.map(({ tool }) => tool.name)).toEqual(["look"]);
    expect(turn.response["status"]).toBe("completed");
  });

  it("that fail, or are none, or are called with no object, are errors that the model reads", async () => {
    const failing = () => ({ ...textResult("no stock"), isError: true });
    const calls = [
      callOf("shop_buy", {}),
      callOf("gone", {}),
      callOf("look", "[1]"),
      callOf("look", '{"a":', "call_half"),
    ];
    const tools = new ScriptedTools([mcpTool("buy"), ownTool("look")], failing);
    const model = saying(calls, [message("Done.")]);
    const turn = await ground.run(model, { tools });
    expect(tools.calls.map(({ tool }) => tool.name)).toEqual(["shop_buy"]);
    const outputs = itemsIn(model.bodies()[1]).slice(1 + calls.length);
    expect(outputs.map(({ output }) => output)).toEqual([
      "Error: no stock",
      "Error: There is no tool `gone`.",
      "Error: The arguments are no JSON object; send one as the tool's schema says.",
      "Error: The arguments are no JSON object; send one as the tool's schema says.",
    ]);
    expect(turn.response["output"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: "mcp_call",
          status: "failed",
          output: null,
          error: {
            type: "mcp_tool_execution_error",
            content: [{ type: "text", text: "no stock" }],
          },
        }),
      ]),
    );
    expect(turn.response["status"]).toBe("completed");
    expect(turn.faults).toEqual([]);
  });

  it("may answer with images, which the model gets as they are", async () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA==" };
    const answer = () => ({
      output: [{ type: "input_text", text: "See:" }, image],
      isError: false,
    });
    const tools = new ScriptedTools([mcpTool("look")], answer);
    const model = saying([callOf("shop_look", {})], [message("Nice.")]);
    const turn = await ground.run(model, { tools });
    const [output] = itemsIn(model.bodies()[1]).slice(-1);
    expect(output?.["output"]).toEqual([{ type: "input_text", text: "See:" }, image]);
    expect(turn.response["output"]).toMatchObject([{ output: "See:\n[input_image]" }, {}]);
  });

  it("[agent.declared-ends] that the caller declares end the turn, when the others that were asked for have been called", async () => {
    const declared = { type: "function", name: "mine", parameters: { type: "object" } };
    const calls = [callOf("mine", { a: 1 }), callOf("shop_buy", {})];
    const tools = new ScriptedTools([mcpTool("buy")]);
    const model = saying(calls);
    const turn = await ground.run(model, { tools, body: { tools: [declared] } });
    expect(model.calls).toHaveLength(1);
    expect(model.bodies()[0]?.["tools"]).toEqual([
      { type: "function", name: "shop_buy", parameters: { type: "object" }, strict: false },
      declared,
    ]);
    expect(tools.calls).toHaveLength(1);
    expect(turn.response).toMatchObject({
      status: "completed",
      output: [calls[0], { type: "mcp_call", status: "completed" }],
    });
    expect(turn.faults).toEqual([]);
    expect(turn.items).toEqual([
      hello,
      ...calls,
      { type: "function_call_output", call_id: "call_shop_buy", output: "did {}" },
    ]);
  });

  it("are asked for by force once only, and else as the caller says", async () => {
    const run = async (tool_choice: unknown): Promise<unknown[]> => {
      const model = saying([callOf("look", {})], [message("Done.")]);
      const tools = new ScriptedTools([ownTool("look")]);
      await ground.run(model, { tools, body: { tool_choice } });
      return model.bodies().map((body) => body["tool_choice"]);
    };
    expect(await run("required")).toEqual(["required", undefined]);
    expect(await run({ type: "function", name: "look" })).toEqual([
      { type: "function", name: "look" },
      undefined,
    ]);
    expect(await run("auto")).toEqual(["auto", "auto"]);
    const allowed = { type: "allowed_tools", mode: "auto", tools: [] };
    expect(await run(allowed)).toEqual([allowed, allowed]);
  });

  it("end the turn as failed where one of them is at fault here, and stop the others", async () => {
    const stopped: boolean[] = [];
    const other = Promise.withResolvers<void>();
    const answer = async ({ arguments: text, signal }: AgentToolCall): Promise<never> => {
      if (text === "{}") {
        await other.promise;
        throw new Error("a fault of ours");
      }
      other.resolve();
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          stopped.push(true);
          reject(new Error("aborted"));
        });
      });
    };
    const calls = [callOf("look", { a: 1 }, "call_1"), callOf("look", {}, "call_2")];
    const tools = new ScriptedTools([ownTool("look")], answer);
    const model = saying(calls);
    const id = await ground.start({ tools });
    const { running } = await ground.take(model, { tools });
    await expect(running).rejects.toThrow("a fault of ours");
    const turn = await ground.ended(id);
    expect(stopped).toEqual([true]);
    expect(turn.response).toMatchObject({ status: "failed", error: { code: "server_error" } });
    expect(turn.items).toEqual([hello]);
    expect(turn.faults).toEqual([]);
  });
});
