import { CliError } from "../cli-error.ts";
import { quoteShellWordIfNeeded } from "../../platform/shell-word.ts";
import type { CliChatConversation } from "./conversation.ts";
import { describeIncompleteResponse } from "./describe-incomplete-response.ts";
import { InterruptListener } from "./interrupts.ts";
import type { CliModelClient } from "./model-client.ts";
import { PipedChatView, silentChatView } from "./piped-view.ts";
import { sendAndRenderChat } from "./run-chat-request.ts";
import { toolDisplayName } from "./format-tool-call.ts";
import { formatTerminalSafeJson, writeToStdout } from "../output.ts";

/** As a shell has it for a command that SIGINT ended: 128 and its number. */
const interruptedExitCode = 130;

/**
 * Says one message and prints the answer, or the whole response as JSON. Rejects with a
 * `CliError` also for an answer that is not whole: whoever reads it next would not know.
 */
export async function sendSingleChatMessage(
  calls: CliModelClient,
  conversation: CliChatConversation,
  message: string,
  asJson: boolean,
): Promise<void> {
  using interrupts = new InterruptListener();
  const view = asJson ? silentChatView : new PipedChatView();
  const outcome = await sendAndRenderChat(
    calls,
    conversation.addUserMessage(message),
    view,
    interrupts,
  );
  if (asJson && outcome.response !== undefined) {
    writeToStdout(formatTerminalSafeJson(outcome.response));
  }
  if (interrupts.stop.aborted) {
    process.exitCode = interruptedExitCode;
    return;
  }
  const note = describeIncompleteResponse(outcome);
  if (note !== undefined) throw new CliError(`The answer is not whole: ${note}.`);
  const [approval] = outcome.approvals;
  if (approval === undefined) return;
  throw new CliError(
    `The agent asks whether it may call ${toolDisplayName(approval)}, which can be answered in a terminal only.\n` +
      "Ask again in one, without a pipe: npx causeway chat " +
      quoteShellWordIfNeeded(conversation.model),
  );
}
