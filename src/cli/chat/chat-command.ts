import { readFileSync } from "node:fs";
import { InvalidArgumentError, type Command } from "commander";
import { resolveCliProfileContext } from "../cli-context.ts";
import { sanitizeTerminalLines } from "../format-cell.ts";
import { quoteShellWordIfNeeded } from "../../platform/shell-word.ts";
import { runAndReportCliError } from "../run-command.ts";
import { CliChatConversation, type ChatGenerationSettings } from "./conversation.ts";
import { runInteractiveChatPrompt } from "./chat-loop.ts";
import { TerminalMessageReader } from "./message-prompt.ts";
import { CliModelClient, threadNamePattern } from "./model-client.ts";
import { sendSingleChatMessage } from "./send-one-message.ts";
import { createTerminalStyles } from "./styles.ts";
import { TerminalChatView } from "./terminal-view.ts";

const defaultModel = "agent";

const moreHelp = `
In a terminal it is a conversation; /help in it says what else can be typed. Where standard
input or output is no terminal, standard input is one message, and the answer alone goes to
standard output. It calls with a caller key: that of the profile (profiles create-key), or
CAUSEWAY_KEY if no profile is named; without a profile the first key in the data directory.
Examples:
  causeway chat
  causeway chat custom/my-vendor/some-model --system "Answer in French."
  git diff | causeway chat --message "Review this." > review.md
Exit codes: 0, it was answered; 1, it was refused, failed, or the answer is not whole;
2, the command line was not understood; 130, Ctrl-C ended the answer.`;

interface ChatFlags extends ChatGenerationSettings {
  readonly session?: string;
  readonly message?: string;
  readonly json?: boolean;
}

/** Adds `chat`: a conversation with a model or an agent. */
export function addChatCommand(program: Command): void {
  const command = program.command("chat");
  command
    .description("talks with an agent or any model, in the terminal or through a pipe")
    .argument("[model]", "an agent, a model or an @alias", defaultModel)
    .option("--session <name>", "goes on with this thread of the agent, see `threads`", readSession)
    .option("--system <text>", "instructions for the model")
    .option("--message <text>", "says this once; what is piped in stands behind it")
    .option("--effort <word>", "how much to think: low, medium, high, or what the model takes")
    .option("--max-output-tokens <number>", "the longest answer", readTokens)
    .option("--json", "print the whole response to one message as JSON")
    .addHelpText("after", moreHelp);
  command.action(async (model: string) => {
    const flags = command.opts<ChatFlags>();
    const isAsked = flags.message !== undefined || flags.json === true;
    const isConversation = process.stdin.isTTY && process.stdout.isTTY && !isAsked;
    const message = isConversation ? "" : messageOf(flags);
    if (!isConversation && message === "") {
      return command.error("error: there is no message: pipe it in, or say it with --message");
    }
    await runAndReportCliError(async () => {
      const calls = new CliModelClient(resolveCliProfileContext(command));
      const controls = { ...flags, showsReasoning: isConversation };
      const conversation = new CliChatConversation(model, flags.session, controls);
      await (isConversation
        ? runInteractive(calls, conversation)
        : sendSingleChatMessage(calls, conversation, message, flags.json === true));
    });
  });
}

/** What is said stands before what it is about. */
function messageOf({ message = "" }: ChatFlags): string {
  const isTyped = process.stdin.isTTY && message !== "";
  const piped = isTyped ? "" : readFileSync(0, "utf8").trim();
  return [message.trim(), piped].filter((text) => text !== "").join("\n\n");
}

async function runInteractive(
  calls: CliModelClient,
  conversation: CliChatConversation,
): Promise<void> {
  const styles = createTerminalStyles(process.stdout, process.env);
  const show = (text: string): void => {
    process.stdout.write(`${styles.dim(sanitizeTerminalLines(text))}\n`);
  };
  show(`${conversation.model}; /help says what can be typed, Ctrl-D leaves`);
  const prompt = new TerminalMessageReader(process.stdin, process.stdout);
  const view = new TerminalChatView(process.stdout, styles);
  try {
    await runInteractiveChatPrompt({ calls, conversation, prompt, view, printNote: show });
  } finally {
    prompt.close();
  }
  const { model, thread } = conversation;
  if (thread !== undefined)
    show(`Go on with: npx causeway chat ${quoteShellWordIfNeeded(model)} --session ${thread}`);
}

function readSession(text: string): string {
  if (threadNamePattern.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 59 letters, digits or _.");
}

function readTokens(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}
