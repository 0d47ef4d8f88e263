import type { JsonObject } from "@bufbuild/protobuf";
import { CliError } from "../cli-error.ts";
import type { CliChatView } from "./response-view.ts";
import { runSlashCommand } from "./slash-commands.ts";
import type { CliChatConversation } from "./conversation.ts";
import { describeIncompleteResponse } from "./describe-incomplete-response.ts";
import { InterruptListener } from "./interrupts.ts";
import type { TerminalMessageReader } from "./message-prompt.ts";
import type { CliModelClient } from "./model-client.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import {
  sendAndRenderChat,
  type CliChatResponse,
  type CliChatRequest,
} from "./run-chat-request.ts";
import { formatToolCall } from "./format-tool-call.ts";
import { writeToStderr } from "../output.ts";

/** A conversation in a terminal. */
export interface ChatLoopDependencies {
  readonly calls: CliModelClient;
  readonly conversation: CliChatConversation;
  readonly prompt: TerminalMessageReader;
  readonly view: CliChatView;
  /** Tells a person something that nobody said. */
  readonly printNote: (text: string) => void;
}

/** What a message came to. */
type ExchangeResult = "answered" | "interrupted" | "left";

/** Asks and answers until the person leaves. */
export async function runInteractiveChatPrompt(chat: ChatLoopDependencies): Promise<void> {
  for (let interrupts = 0; interrupts < 2;) {
    const typed = await chat.prompt.ask("> ");
    if (typed.kind === "end") return;
    if (typed.kind === "interrupt") {
      interrupts += 1;
      if (interrupts < 2) chat.printNote("Ctrl-C again, or Ctrl-D, leaves.");
      continue;
    }
    const word = runSlashCommand(typed.text, chat.conversation);
    if (word?.kind === "quit") return;
    if (word !== undefined) chat.printNote(word.told);
    const isMessage = word === undefined && typed.text.trim() !== "";
    const answered = isMessage ? await sendMessage(chat, typed.text) : "answered";
    if (answered === "left") return;
    interrupts = answered === "interrupted" ? 1 : 0;
  }
}

/** Says a message, and then answers what the agent asks to be approved. */
async function sendMessage(chat: ChatLoopDependencies, message: string): Promise<ExchangeResult> {
  let ask = (): CliChatRequest => chat.conversation.addUserMessage(message);
  for (let said: string | undefined = message; ; said = undefined) {
    const [answered, outcome] = await runExchange(chat, ask);
    if (outcome === undefined) return answered;
    chat.conversation.commitExchange(said, outcome);
    const approvals = await approve(chat, outcome.approvals);
    if (approvals.length === 0) return answered;
    ask = () => chat.conversation.addAssistantMessage(approvals);
  }
}

/** One answer; a failure has been told. */
async function runExchange(
  chat: ChatLoopDependencies,
  ask: () => CliChatRequest,
): Promise<[ExchangeResult, CliChatResponse | undefined]> {
  const { view } = chat;
  using interrupts = new InterruptListener();
  try {
    const outcome = await respondTo(chat, ask, interrupts);
    const note = describeIncompleteResponse(outcome);
    if (note !== undefined) view.note(note);
    return [answeredAfter(interrupts), outcome];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    writeToStderr(error.message);
    return [answeredAfter(interrupts), undefined];
  } finally {
    view.end();
  }
}

/** Where the vendor refuses to tell what the model thinks, it is asked again without. */
async function respondTo(
  { calls, conversation, view }: ChatLoopDependencies,
  ask: () => CliChatRequest,
  interrupts: InterruptListener,
): Promise<CliChatResponse> {
  view.wait(conversation.model);
  try {
    return await sendAndRenderChat(calls, ask(), view, interrupts);
  } catch (error) {
    if (!(error instanceof CliError) || !conversation.disableReasoning(error)) throw error;
    return await sendAndRenderChat(calls, ask(), view, interrupts);
  }
}

function answeredAfter({ stop, exit: leave }: InterruptListener): ExchangeResult {
  if (leave.aborted) return "left";
  return stop.aborted ? "interrupted" : "answered";
}

/** Answers to all requests; empty where the person would rather say something else. */
async function approve(
  { prompt, printNote: tell }: ChatLoopDependencies,
  requests: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const answers: JsonObject[] = [];
  for (const request of requests) {
    tell(formatToolCall(request));
    const typed = await prompt.ask("Allow this call? [y/N] ");
    if (typed.kind !== "message") return [];
    const approve = /^y(es)?$/i.test(typed.text.trim());
    const id = readStringMemberOrEmpty(request, "id");
    answers.push({ type: "mcp_approval_response", approval_request_id: id, approve });
  }
  return answers;
}
