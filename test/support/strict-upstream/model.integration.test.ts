import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { bases, faultIn, send, tools, turn, schema, type Dialect } from "./call-strict-upstream.ts";
import { signatureOf } from "./signature.ts";
import { startStrictUpstream } from "./start-strict-upstream.ts";

interface Counted {
  readonly usage: { readonly prompt_tokens?: number; readonly input_tokens?: number };
}

interface Cached {
  readonly usage: { readonly input_tokens_details: { readonly cached_tokens: number } };
}

/** The fields by which the system orders. */
function ordered(dialect: Dialect, order: string): JsonObject {
  const go = { role: "user", content: "go" };
  switch (dialect) {
    case "chat":
      return { messages: [{ role: "developer", content: order }, go] };
    case "messages":
      return { system: order };
    case "responses":
      return { instructions: order };
  }
}

const png = "iVBORw0KGgo=";

/** Words, and a picture before them. */
function pictured(dialect: Dialect): readonly object[] {
  const text = "What is this?";
  const url = `data:image/png;base64,${png}`;
  const source = { type: "base64", media_type: "image/png", data: png };
  switch (dialect) {
    case "chat":
      return [
        { type: "image_url", image_url: { url } },
        { type: "text", text },
      ];
    case "messages":
      return [
        { type: "image", source },
        { type: "text", text },
      ];
    case "responses":
      return [
        { type: "input_image", image_url: url },
        { type: "input_text", text },
      ];
  }
}

describe("the strict upstream's model", () => {
  const asks = (dialect: Dialect, content: unknown) => {
    const field = dialect === "responses" ? "input" : "messages";
    return { [field]: [{ role: "user", content }] };
  };
  const formats = {
    chat: { response_format: { type: "json_schema", json_schema: { name: "n", schema } } },
    messages: {
      output_config: {
        format: { type: "json_schema", schema: { ...schema, additionalProperties: false } },
      },
    },
    responses: { text: { format: { type: "json_schema", name: "n", schema } } },
  };

  describe.each(["chat", "messages", "responses"] as const)("%s", (dialect) => {
    const saying = async (prompt: unknown, more: JsonObject = {}) => {
      const { status, body } = await send(dialect, { ...asks(dialect, prompt), ...more });
      expect(status).toBe(200);
      return JSON.stringify(body);
    };

    it("says the words that it is asked for", async () => {
      expect(await saying("Reply with exactly: pong")).toMatch(/"(?:text|content)":"pong"/);
      expect(await saying("Reply with the exact string: 你好 🦊")).toContain('"你好 🦊"');
      expect(await saying("Say OK and nothing else")).toMatch(/"(?:text|content)":"OK"/);
      expect(await saying("Now say 'done'.")).toMatch(/"(?:text|content)":"done"/);
      const story = await saying("Tell a story of a thousand words.");
      expect(story.match(/Once upon a time/g)).toHaveLength(250);
      expect(await saying("What is 2 + 2?")).toMatch(/"(?:text|content)":"4"/);
      expect(await saying("Count from 1 to 5.")).toContain("1 2 3 4 5");
    });

    it("takes short orders of the system", async () => {
      const order = "Reply with exactly HELLO and nothing else.";
      expect(await saying("go", ordered(dialect, order))).toMatch(/"(?:text|content)":"HELLO"/);
      const small = ordered(dialect, "Reply using only lowercase letters.");
      expect(await saying("go", small)).toContain('"hello there, friend."');
      const long = `${order}${" Be brief.".repeat(20)}`;
      expect(await saying("go", ordered(dialect, long))).toContain("Hello there, friend.");
    });

    it("tells what it was told before", async () => {
      const said = [
        { role: "user", content: "Remember: my code = 123. Reply OK" },
        { role: "assistant", content: "OK" },
        { role: "user", content: "I am 40 years old." },
        { role: "assistant", content: "OK" },
      ];
      const field = dialect === "responses" ? "input" : "messages";
      const asking = (content: string) => ({ [field]: [...said, { role: "user", content }] });
      const { body: code } = await send(dialect, asking("What was my code?"));
      expect(JSON.stringify(code)).toMatch(/"(?:text|content)":"123"/);
      const { body: last } = await send(dialect, asking("Reply with just the number."));
      expect(JSON.stringify(last)).toMatch(/"(?:text|content)":"40"/);
    });

    it("finds what is said within a long prompt", async () => {
      const hay = "The fox jumps over the dog. ".repeat(50);
      const asked = `${hay}The launch code is \`quasar-471\`. ${hay}\n\nWhat is the launch code?`;
      expect(await saying(asked)).toMatch(/"(?:text|content)":"quasar-471"/);
    });

    it("counts a word as a token", async () => {
      const { usage } = JSON.parse(await saying("Hello you.")) as Counted;
      expect(usage.prompt_tokens ?? usage.input_tokens).toBe(2);
    });

    it("counts the tokens of a picture", async () => {
      const { usage: without } = JSON.parse(await saying(pictured(dialect).slice(1))) as Counted;
      const { usage: more } = JSON.parse(await saying(pictured(dialect))) as Counted;
      const counted = ({ prompt_tokens: old, input_tokens: now }: Counted["usage"]) => old ?? now;
      expect(counted(more)).toBeGreaterThan(counted(without) ?? 0);
    });

    it("gives JSON of a schema", async () => {
      const says = 'Generate an object with city="Oslo" for Paris.';
      expect(await saying(says, formats[dialect])).toContain('{\\"city\\":\\"Oslo\\"}');
      expect(await saying("How is it in Paris?", formats[dialect])).toContain(
        '{\\"city\\":\\"Paris\\"}',
      );
    });

    it("calls a tool that is spoken of, and not where it may not", async () => {
      const offered = { tools: tools[dialect] };
      expect(await saying("What is the weather in Paris?", offered)).toMatch(/city\W+Paris/);
      const again = await saying("Now check Oslo. Use the tool.", offered);
      expect(again).toMatch(/"name":"weather"/);
      const both = "Call weather in parallel for both Paris, France and Tokyo, Japan.";
      expect(await saying(both, offered)).toMatch(/city\W+Paris.*city\W+Tokyo/);
      const once = "What is the weather in Zürich, and what in Oslo? Ask for both at once.";
      expect(await saying(once, offered)).toMatch(/city\W+Zürich.*city\W+Oslo/);
      const none = dialect === "messages" ? { type: "none" } : "none";
      const refused = await saying("What is the weather?", { ...offered, tool_choice: none });
      expect(refused).toContain("Hello there, friend.");
    });
  });

  it("knows the beginning of a long prompt again", async () => {
    const { origin } = await startStrictUpstream();
    const hay = "The fox jumps over the dog. ".repeat(200);
    const cachedIn = async (tail: string, key: string) => {
      const answer = await fetch(`${origin}/v1/responses`, {
        method: "POST",
        body: JSON.stringify({ model: "m", input: `${hay}${tail}`, prompt_cache_key: key }),
      });
      const { usage } = (await answer.json()) as Cached;
      return usage.input_tokens_details.cached_tokens;
    };
    expect(await cachedIn("What is 1 + 1?", "a")).toBe(0);
    expect(await cachedIn("What is 2 + 2?", "b")).toBe(0);
    expect(await cachedIn("What is 2 + 2?", "a")).toBeGreaterThan(1200);
  });

  it("caches for messages what is marked, and nothing else", async () => {
    const { origin } = await startStrictUpstream();
    const text = "The fox jumps over the dog. ".repeat(200);
    const usageOf = async (block: object) => {
      const body = { ...bases.messages, system: [{ type: "text", text, ...block }] };
      const request = { method: "POST", body: JSON.stringify(body) };
      const answer = await fetch(`${origin}/v1/messages`, request);
      return ((await answer.json()) as { usage: unknown }).usage;
    };
    const marked = { cache_control: { type: "ephemeral" } };
    expect(await usageOf(marked)).toMatchObject({ cache_read_input_tokens: 0 });
    expect(await usageOf({})).toMatchObject({ cache_read_input_tokens: 0, input_tokens: 1201 });
    expect(await usageOf(marked)).toMatchObject({ cache_read_input_tokens: 1201, input_tokens: 0 });
  });

  it("gives JSON with the keys that a prompt lists", async () => {
    const input = "Output a JSON object with these keys: name (string), count (number).";
    const asked = { input, text: { format: { type: "json_object" } } };
    const { body } = await send("responses", asked);
    expect(JSON.stringify(body)).toContain('{\\"name\\":\\"text\\",\\"count\\":1}');
  });

  it("knows what a tool has said, though something else is asked since", async () => {
    const called = { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" };
    const output = '{"temperature_celsius":22}';
    const { body } = await send("responses", {
      input: [
        called,
        { type: "function_call_output", call_id: "c1", output },
        { role: "user", content: "What's the temperature there?" },
      ],
    });
    expect(JSON.stringify(body)).toContain('"text":"22"');
  });

  it("gives tools the values that it is told", async () => {
    const parameters = {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "integer" } },
    };
    const offered = [{ type: "function", name: "add", parameters }];
    const asked = { input: "Call add with a=40 and b=2.", tools: offered, tool_choice: "required" };
    expect(JSON.stringify(await send("responses", asked))).toContain('{\\"a\\":40,\\"b\\":2}');
  });

  it("writes free text for tools that take it, in JSON or not", async () => {
    const input = "Use the math tool to add four plus four.";
    const asking = (tool: JsonObject) =>
      send("responses", { input, tools: [tool], tool_choice: "required" });
    const parameters = { type: "object", properties: { input: { type: "string" } } };
    const custom = await asking({ type: "custom", name: "math" });
    const wrapped = await asking({ type: "function", name: "math", parameters });
    expect(custom.body["output"]).toMatchObject([{ input: "4 + 4" }]);
    expect(wrapped.body["output"]).toMatchObject([{ arguments: '{"input":"4 + 4"}' }]);
  });

  it("says in each chunk that usage is still to come, where it is asked for", async () => {
    const { origin } = await startStrictUpstream();
    const answer = await fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        ...bases.chat,
        stream: true,
        stream_options: { include_usage: true },
      }),
    });
    const [first] = (await answer.text()).split("\n");
    expect(first).toContain('"usage":null');
  });

  it("signs what it thinks, and knows it again", async () => {
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const { body } = await send("messages", { thinking });
    const [thought] = body["content"] as { thinking: string; signature: string }[];
    expect(thought?.signature).toBe(signatureOf(thought?.thinking ?? ""));
    expect(faultIn("messages", turn(thought ?? {}))).toBeUndefined();
  });
});
