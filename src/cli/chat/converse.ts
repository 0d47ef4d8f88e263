import type { JsonObject } from "@bufbuild/protobuf";
import { CallError } from "../call-error.ts";
import type { AnswerView } from "./answer-view.ts";
import { chatWord } from "./chat-words.ts";
import type { Conversation } from "./conversation.ts";
import { endNote } from "./end-note.ts";
import { Interrupts } from "./interrupts.ts";
import type { MessagePrompt } from "./message-prompt.ts";
import type { ModelCalls } from "./model-calls.ts";
import { textIn } from "../text-in.ts";
import { runTurn, type TurnOutcome, type ChatRequest } from "./run-turn.ts";
import { callLine } from "./tool-lines.ts";

/** A conversation in a terminal. */
export interface Chat {
  readonly calls: ModelCalls;
  readonly conversation: Conversation;
  readonly prompt: MessagePrompt;
  readonly view: AnswerView;
  /** Tells a person something that nobody said. */
  readonly tell: (text: string) => void;
}

/** What a message came to. */
type Answered = "answered" | "interrupted" | "left";

/** Asks and answers until the person leaves. */
export async function converse(chat: Chat): Promise<void> {
  for (let interrupts = 0; interrupts < 2;) {
    const typed = await chat.prompt.ask("> ");
    if (typed.kind === "end") return;
    if (typed.kind === "interrupt") {
      interrupts += 1;
      if (interrupts < 2) chat.tell("Ctrl-C again, or Ctrl-D, leaves.");
      continue;
    }
    const word = chatWord(typed.text, chat.conversation);
    if (word?.kind === "quit") return;
    if (word !== undefined) chat.tell(word.told);
    const isMessage = word === undefined && typed.text.trim() !== "";
    const answered = isMessage ? await say(chat, typed.text) : "answered";
    if (answered === "left") return;
    interrupts = answered === "interrupted" ? 1 : 0;
  }
}

/** Says a message, and then answers what the agent asks to be approved. */
async function say(chat: Chat, message: string): Promise<Answered> {
  let ask = (): ChatRequest => chat.conversation.say(message);
  for (let said: string | undefined = message; ; said = undefined) {
    const [answered, outcome] = await turn(chat, ask);
    if (outcome === undefined) return answered;
    chat.conversation.keep(said, outcome);
    const approvals = await approve(chat, outcome.approvals);
    if (approvals.length === 0) return answered;
    ask = () => chat.conversation.answer(approvals);
  }
}

/** One answer; a failure has been told. */
async function turn(
  chat: Chat,
  ask: () => ChatRequest,
): Promise<[Answered, TurnOutcome | undefined]> {
  const { view } = chat;
  using interrupts = new Interrupts();
  try {
    const outcome = await answerTo(chat, ask, interrupts);
    const note = endNote(outcome);
    if (note !== undefined) view.note(note);
    return [answeredAfter(interrupts), outcome];
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    console.error(error.message);
    return [answeredAfter(interrupts), undefined];
  } finally {
    view.end();
  }
}

/** Where the vendor refuses to tell what the model thinks, it is asked again without. */
async function answerTo(
  { calls, conversation, view }: Chat,
  ask: () => ChatRequest,
  interrupts: Interrupts,
): Promise<TurnOutcome> {
  view.wait(conversation.model);
  try {
    return await runTurn(calls, ask(), view, interrupts);
  } catch (error) {
    if (!(error instanceof CallError) || !conversation.forgoThoughts(error)) throw error;
    return await runTurn(calls, ask(), view, interrupts);
  }
}

function answeredAfter({ stop, leave }: Interrupts): Answered {
  if (leave.aborted) return "left";
  return stop.aborted ? "interrupted" : "answered";
}

/** Answers to all requests; empty where the person would rather say something else. */
async function approve(
  { prompt, tell }: Chat,
  requests: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const answers: JsonObject[] = [];
  for (const request of requests) {
    tell(callLine(request));
    const typed = await prompt.ask("Allow this call? [y/N] ");
    if (typed.kind !== "message") return [];
    const approve = /^y(es)?$/i.test(typed.text.trim());
    const id = textIn(request, "id");
    answers.push({ type: "mcp_approval_response", approval_request_id: id, approve });
  }
  return answers;
}
