import OpenAI from "openai";
import usual from "../../../fixtures/clients/codex.json" with { type: "json" };
import lite from "../../../fixtures/clients/codex-lite.json" with { type: "json" };
import type { ModelApp } from "../../model-app.ts";
import { mostRounds, pixel, type CalledTool, type Session } from "./session.ts";

type Item = Readonly<Record<string, unknown>>;

/** Codex' requests: with instructions and tools beside its input, and with both in it, as for newer models. */
const fixtures = { usual, lite };

/** Codex at its newest, as far as its requests and what it reads of answers go. */
export function codexSession(
  app: ModelApp,
  model: string,
  form: keyof typeof fixtures,
): Session & { compact(): Promise<void> } {
  const fixture = fixtures[form];
  const client = new OpenAI({
    baseURL: `${app.origin}/v1`,
    apiKey: app.token,
    maxRetries: 0,
    defaultHeaders: fixture.headers,
  });
  const input: Item[] = [
    ...fixture.prefix,
    message("developer", "Sandboxed."),
    message("user", context),
  ];
  const send = (): Promise<readonly Item[]> => readItems(client, { ...fixture.body, model, input });
  return {
    /** It keeps what its user said, and the one compaction that it asks for. */
    async compact() {
      input.push({ type: "compaction_trigger" });
      const items = await send();
      if (items.length !== 1) throw new Error("there is to be one compaction alone");
      const said = input.filter(({ role }) => role === "user");
      input.splice(0, input.length, ...fixture.prefix, ...said, ...items);
    },
    async ask(prompt) {
      input.push(message("user", prompt));
      const calls: CalledTool[] = [];
      for (let round = 0; round < mostRounds; round += 1) {
        const items = await send();
        input.push(...items);
        const outputs = items.flatMap((item) => outputOf(item));
        if (outputs.length === 0) return { text: textOf(items), calls };
        calls.push(...items.flatMap(calledTool));
        input.push(...outputs, message("developer", "Approvals are off."));
      }
      throw new Error("the model does not stop calling tools");
    },
  };
}

const context = "<environment_context>\n  <cwd>/work</cwd>\n</environment_context>";

function message(role: string, text: string): Item {
  return { type: "message", role, content: [{ type: "input_text", text }] };
}

/** It takes whole items, and nothing before the response is completed. */
async function readItems(client: OpenAI, body: Item): Promise<readonly Item[]> {
  const params = {
    ...body,
    stream: true,
  } as unknown as OpenAI.Responses.ResponseCreateParamsStreaming;
  const items: Item[] = [];
  for await (const event of await client.responses.create(params)) {
    if (event.type === "response.output_item.done") items.push(event.item as unknown as Item);
    if (event.type === "response.completed") return items;
  }
  throw new Error("stream closed before response.completed");
}

const found = {
  type: "namespace",
  name: "mcp__calendar",
  description: "Plan events.",
  tools: [
    {
      type: "function",
      name: "create_event",
      description: "Creates an event.",
      strict: false,
      defer_loading: true,
      parameters: {
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
      },
    },
  ],
};

function outputOf({ type, call_id, execution, name }: Item): readonly Item[] {
  switch (type) {
    case "tool_search_call":
      if (execution !== "client") return [];
      return [
        { type: "tool_search_output", call_id, execution, status: "completed", tools: [found] },
      ];
    case "custom_tool_call":
      return [{ type: "custom_tool_call_output", call_id, output: "Done." }];
    case "function_call":
      return [{ type: "function_call_output", call_id, output: outputFor(name) }];
    default:
      return [];
  }
}

function outputFor(name: unknown): unknown {
  const image_url = `data:image/png;base64,${pixel}`;
  return name === "view_image" ? [{ type: "input_image", image_url, detail: "high" }] : "one line";
}

function calledTool({
  type,
  name,
  namespace,
  arguments: text,
  input,
}: Item): readonly CalledTool[] {
  switch (type) {
    case "tool_search_call":
      return [{ name: "tool_search", input: text }];
    case "custom_tool_call":
      return [{ name: String(name), input }];
    case "function_call": {
      const place = typeof namespace === "string" ? `${namespace}/` : "";
      return [{ name: `${place}${String(name)}`, input: JSON.parse(String(text)) as unknown }];
    }
    default:
      return [];
  }
}

function textOf(items: readonly Item[]): string {
  const parts = items.flatMap(({ type, content }) =>
    type === "message" ? (content as Item[]) : [],
  );
  return parts.map(({ text }) => String(text)).join("");
}
