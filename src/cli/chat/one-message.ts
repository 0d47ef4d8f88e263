import { CallError } from "../call-error.ts";
import type { Conversation } from "./conversation.ts";
import { endNote } from "./end-note.ts";
import { Interrupts } from "./interrupts.ts";
import type { ModelCalls } from "./model-calls.ts";
import { PipedView, silentView } from "./piped-view.ts";
import { runTurn } from "./run-turn.ts";
import { toolName } from "./tool-lines.ts";

/** As a shell has it for a command that SIGINT ended: 128 and its number. */
const interruptedExitCode = 130;

/**
 * Says one message and prints the answer, or the whole response as JSON. Rejects with a
 * `CallError` also for an answer that is not whole: whoever reads it next would not know.
 */
export async function oneMessage(
  calls: ModelCalls,
  conversation: Conversation,
  message: string,
  asJson: boolean,
): Promise<void> {
  using interrupts = new Interrupts();
  const view = asJson ? silentView : new PipedView();
  const outcome = await runTurn(calls, conversation.say(message), view, interrupts);
  if (asJson && outcome.response !== undefined) {
    console.log(JSON.stringify(outcome.response, undefined, 2));
  }
  if (interrupts.stop.aborted) {
    process.exitCode = interruptedExitCode;
    return;
  }
  const note = endNote(outcome);
  if (note !== undefined) throw new CallError(`The answer is not whole: ${note}.`);
  const [approval] = outcome.approvals;
  if (approval === undefined) return;
  throw new CallError(
    `The agent asks whether it may call ${toolName(approval)}, which can be answered in a terminal only.\n` +
      "Ask again in one, without a pipe: npx causeway chat " +
      conversation.model,
  );
}
