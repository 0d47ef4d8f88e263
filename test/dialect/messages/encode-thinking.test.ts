import { describe, expect, it } from "vitest";
import { asObject } from "../../../src/dialect/json.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { envelopeOf, targetContext } from "../../support/codec-contexts.ts";
import {
  calls,
  fromChat,
  fromResponses,
  messagesOf,
  result,
  tool,
} from "../../support/messages-upstream.ts";

describe("reasoning", () => {
  it("[thought.effort] an effort is a budget, the cap stays, sampling goes", () => {
    const { body, warnings } = fromChat({
      reasoning_effort: "high",
      max_tokens: 20_000,
      temperature: 0.3,
    });
    expect(body).toMatchObject({
      max_tokens: 20_000,
      thinking: { type: "enabled", budget_tokens: 16_384 },
    });
    expect(body).not.toHaveProperty("temperature");
    expect(warnings).toEqual(["temperature dropped conflict"]);
  });

  it.each([
    ["minimal", 1024],
    ["low", 2048],
    ["medium", 8192],
    ["high", 16_384],
    ["xhigh", 24_576],
    ["max", 32_000],
  ])("effort %s is a budget of %i", (effort, budget) => {
    const { body } = fromChat({ reasoning_effort: effort, max_tokens: 64_000 });
    expect(body["thinking"]).toEqual({ type: "enabled", budget_tokens: budget });
  });

  it.each([
    ["minimal", "low", {}],
    ["low", "low", {}],
    ["medium", "medium", {}],
    ["high", "high", {}],
    ["xhigh", "xhigh", { highestEffort: "max" }],
    ["xhigh", "max", { highestEffort: "max", lacksXhigh: true }],
    ["xhigh", "high", { highestEffort: "high" }],
    ["max", "max", { highestEffort: "max" }],
  ] as const)("adaptive: effort %s is %s", (effort, word, capabilities) => {
    const { body } = fromChat(
      { reasoning_effort: effort },
      { thinking: "adaptive", ...capabilities },
    );
    expect(body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: word } });
  });

  it("adaptive thinking and sampling exclude each other, too", () => {
    const asked = { reasoning_effort: "high", temperature: 0.3, top_p: 0.97 };
    const { body, warnings } = fromChat(asked, { thinking: "adaptive" });
    expect(body).not.toHaveProperty("temperature");
    expect(body).toMatchObject({ top_p: 0.97 });
    expect(warnings).toEqual(["temperature dropped conflict"]);
  });

  it.each(["budget", "adaptive"] as const)("effort none disables thinking (%s)", (thinking) => {
    const { body } = fromChat({ reasoning_effort: "none", temperature: 0 }, { thinking });
    expect(body).toMatchObject({ thinking: { type: "disabled" }, temperature: 0 });
  });

  it("says nothing of thinking where the caller does not", () => {
    expect(fromChat({}).body).not.toHaveProperty("thinking");
  });

  it("[request.output-cap] [thought.no-room] no room under the cap, no thinking", () => {
    const { body, warnings } = fromChat({ reasoning_effort: "high", max_tokens: 1000 });
    expect(body).not.toHaveProperty("thinking");
    expect(warnings).toEqual(["reasoning_effort dropped range"]);
  });

  it.each([1025, 2000, 8192, 16_384, 16_385])(
    "[request.output-cap] the budget is below a cap of %i",
    (cap) => {
      const { body } = fromChat({ reasoning_effort: "high", max_tokens: cap });
      const budget = Number(asObject(body["thinking"])?.["budget_tokens"]);
      expect(budget).toBeLessThan(cap);
      expect(budget).toBeGreaterThanOrEqual(1024);
    },
  );

  it("[thought.forced-call] a forced call wins over thinking", () => {
    const { body, warnings } = fromChat({
      reasoning_effort: "high",
      tools: [tool("f")],
      tool_choice: "required",
    });
    expect(body).toMatchObject({ tool_choice: { type: "any" } });
    expect(body).not.toHaveProperty("thinking");
    expect(warnings).toEqual(["reasoning_effort dropped conflict"]);
  });

  it.each([
    ["at the end", []],
    ["before a message that says nothing", [{ role: "user", content: " " }]],
  ])("an answer that the caller began, %s, wins over thinking", (_name, rest) => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "It is" },
      ...rest,
    ];
    expect(fromChat({ messages, reasoning_effort: "low" }).warnings).toEqual([
      "reasoning_effort dropped conflict",
    ]);
  });

  const signed = { dialect: "dialect_messages", kind: "thinking", signature: "sig==" } as const;
  const history = (details: readonly unknown[]) => [
    { role: "user", content: "hi" },
    { ...calls("a"), reasoning_details: details },
    result("a"),
  ];

  it("[thought.replayed] sealed thinking goes back as it came", () => {
    const signature = envelopeOf().seal(signed, ["hm"]);
    const messages = history([{ type: "thinking", text: "cut", signature }]);
    const { warnings, ...sent } = fromChat({ messages, reasoning_effort: "low" });
    expect(messagesOf(sent)[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig==" },
      { type: "tool_use", id: "a", name: "f", input: {} },
    ]);
    expect(sent.body["thinking"]).toMatchObject({ type: "enabled" });
    expect(warnings).toEqual([]);
  });

  it("without its thinking, a call that is answered cannot be thought on with a budget", () => {
    const { body, warnings } = fromChat({ messages: history([]), reasoning_effort: "low" });
    expect(body).not.toHaveProperty("thinking");
    expect(warnings).toEqual(["reasoning_effort dropped conflict"]);
  });

  it("[thought.sealed] a responses caller's envelope opens to the signed block", () => {
    const envelope = envelopeOf().seal(signed, ["hm"]);
    const input = [
      { role: "user", content: "hi" },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: envelope,
      },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "ok" },
    ];
    const sent = fromResponses({ input, store: false, include: ["reasoning.encrypted_content"] });
    expect(messagesOf(sent)[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig==" },
      { type: "tool_use", id: "a", name: "f", input: {} },
    ]);
  });

  it.each([
    ["another model's", envelopeOf("custom/lab", "other").seal(signed, ["hm"])],
    ["a forged", `${envelopeOf().seal(signed, ["hm"]).slice(0, -2)}AA`],
    ["a vendor's own", "gAAAAABencrypted"],
  ])(
    "[thought.tampered] [thought.other-vendor] thinking with %s seal is dropped and told",
    (_name, encrypted) => {
      const input = [
        { role: "user", content: "hi" },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted },
        { role: "assistant", content: "a" },
        { role: "user", content: "b" },
      ];
      const { warnings, ...sent } = fromResponses({ input });
      expect(messagesOf(sent)[1]).toEqual({ role: "assistant", content: "a" });
      expect(warnings).toEqual(["input[1].encrypted_content dropped foreign"]);
    },
  );

  it("asks for readable summaries where the caller wants them", () => {
    const reasoning = { effort: "high", summary: "auto" };
    const { body } = fromResponses({ reasoning }, { thinking: "adaptive" });
    expect(body["thinking"]).toEqual({ type: "adaptive", display: "summarized" });
  });
});

describe("an answer that paused", () => {
  it("[ending.pause] goes on with the upstream's own blocks, and goes on thinking", () => {
    const { turn } = fromChat({ reasoning_effort: "low" });
    const said = { type: "server_tool_use", id: "s", name: "web_search", input: { q: 1 } };
    const part = { type: "opaque", path: "", dialect: "dialect_messages", name: "" } as const;
    const paused = { path: "", role: "assistant", parts: [{ ...part, raw: said }] } as const;
    const { body } = messagesCodec.encodeRequest(
      { ...turn, messages: [...turn.messages, paused, paused] },
      targetContext(),
    );
    expect(body["messages"]).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [said, said] },
    ]);
    expect(body["thinking"]).toMatchObject({ type: "enabled" });
  });
});
