import type { CliChatConversation } from "./conversation.ts";

/** What a line that is a command comes to. */
export type SlashCommandResult =
  | { readonly kind: "quit" }
  /** It is done, and this is to be told. */
  | { readonly kind: "done"; readonly told: string };

const help = `/model <name>  goes on with another model; without a name: which one answers
/new           begins a new conversation, an agent's in a new thread
/help          shows this
/quit          leaves, as Ctrl-D does
\\ at the end of a line, or a paste, makes a message of several lines.
Ctrl-C ends the answer that comes; pressed twice, it leaves.`;

/** Carries out a command of the conversation; undefined for a message, also one that begins with a path. */
export function runSlashCommand(
  line: string,
  conversation: CliChatConversation,
): SlashCommandResult | undefined {
  const [, word, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  if (word === undefined) return undefined;
  if (word === "quit" || word === "exit") return { kind: "quit" };
  return { kind: "done", told: carryOut(word, rest.trim(), conversation) };
}

function carryOut(word: string, rest: string, conversation: CliChatConversation): string {
  switch (word) {
    case "help":
      return help;
    case "new":
      conversation.restart();
      return "A new conversation.";
    case "model":
      if (rest !== "") conversation.model = rest;
      return `The model is ${conversation.model}.`;
    default:
      return `There is no command /${word}; /help shows them.`;
  }
}
