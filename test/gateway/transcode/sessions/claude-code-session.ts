import Anthropic from "@anthropic-ai/sdk";
import fixture from "../../../fixtures/clients/claude-code.json" with { type: "json" };
import type { ModelApp } from "../../model-app.ts";
import {
  mostRounds,
  pixel,
  type SessionResponse,
  type CalledTool,
  type Session,
} from "./session.ts";

type Message = Anthropic.Beta.BetaMessageParam;
type Result = Anthropic.Beta.BetaToolResultBlockParam;

/** Claude Code at its newest, as far as its requests go: the official client with its body. */
export function claudeCodeSession(app: ModelApp, model: string): Session {
  const client = new Anthropic({
    baseURL: app.origin,
    apiKey: app.token,
    maxRetries: 0,
    defaultHeaders: fixture.headers,
  });
  const messages: Message[] = [];
  const send = (): Promise<Anthropic.Beta.BetaMessage> => {
    const body = { ...fixture.body, model, messages: withBreakpoint(messages) };
    return client.beta.messages
      .stream(body as unknown as Anthropic.Beta.MessageCreateParamsStreaming)
      .finalMessage();
  };
  return {
    async ask(prompt) {
      messages.push(...prompted(prompt, messages.length === 0));
      const calls: CalledTool[] = [];
      for (let round = 0; round < mostRounds; round += 1) {
        const { content } = await send();
        messages.push({ role: "assistant", content });
        const uses = content.filter((block) => block.type === "tool_use");
        if (uses.length === 0) return { text: textOf(content), calls };
        calls.push(...uses.map(({ name, input }) => ({ name, input })));
        messages.push({ role: "user", content: uses.map(resultOf) }, nudge(round));
      }
      throw new Error("the model does not stop calling tools");
    },
  };
}

/** The harness tells what it offers in system messages, after the turn of the user. */
function prompted(prompt: string, isFirst: boolean): readonly Message[] {
  const reminder = "<system-reminder>\nToday is a day.\n</system-reminder>";
  const said: Message = {
    role: "user",
    content: [
      ...(isFirst ? [{ type: "text" as const, text: reminder }] : []),
      { type: "text", text: prompt },
    ],
  };
  const offered = "Available agents and skills: none.";
  return isFirst ? [said, { role: "system", content: offered }] : [said];
}

/** A word of the harness beside the results, which ends with the turn. */
function nudge(round: number): Message {
  return {
    role: "system",
    content: [{ type: "text", text: `Round ${round} is over.` }],
    clear_at: "next_user_message",
  };
}

function resultOf({ id, name, input }: Anthropic.Beta.BetaToolUseBlock): Result {
  const result = { type: "tool_result", tool_use_id: id } as const;
  const path = (input as { file_path?: string }).file_path ?? "";
  if (name === "ToolSearch") {
    const tool_name = "mcp__calendar__create_event";
    return { ...result, content: [{ type: "tool_reference", tool_name }] };
  }
  if (name === "Bash") return { ...result, content: "exit code 1", is_error: true };
  if (!path.endsWith(".png")) return { ...result, content: `1\tthe text of ${path}` };
  const source = { type: "base64", media_type: "image/png", data: pixel } as const;
  return { ...result, content: [{ type: "image", source }] };
}

function textOf(content: readonly Anthropic.Beta.BetaContentBlock[]): SessionResponse["text"] {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

/** The cache breakpoint moves along with the last message of the user. */
function withBreakpoint(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, place) => (place === at ? marked(message) : message));
}

function marked({ role, content }: Message): Message {
  const blocks = content as unknown as Record<string, unknown>[];
  const last = { ...blocks.at(-1), cache_control: { type: "ephemeral" } };
  return { role, content: [...blocks.slice(0, -1), last] } as unknown as Message;
}
