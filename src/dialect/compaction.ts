import { invalidRequestError } from "../platform/errors.ts";
import type { NeutralPart, NeutralRequest, NeutralMessage } from "./neutral-request.ts";

/** A conversation, or the beginning of one, that is to be replaced by a summary of it. */
export interface ConversationCompactionPlan {
  /** The turn whose answer is the summary. */
  readonly request: NeutralRequest;
  /** The turn that goes on from the summary; undefined: nothing stood behind what it sums up. */
  continueWith(summary: string): NeutralRequest | undefined;
}

/** Type of the responses item that compacts what stands before it. */
export const compactionTriggerType = "compaction_trigger";

const request = `Your context is to be replaced by a summary of this conversation. Write that summary now: whoever reads it goes on with the work and knows nothing else of what was said.

Say, as far as it applies:
- what the user asked for and has asked for since, in the user's own words where they matter, with every rule and preference that still holds;
- what was done and found out so far, with the exact names, paths, commands, ids, numbers and error messages that are needed again;
- what was decided, and why;
- what is under way, what is left to do, and the very next step.

Answer with the summary alone. Call no tools and leave nothing of the above out.`;

const preface =
  "What was said before this message was replaced by a summary of it. Go on from there; nothing in it needs to be done or said again.";

/**
 * What a turn asks to be compacted: all of it (`isWhole`), or what stands before its last
 * trigger; undefined: it asks for none. Throws 400 for a trigger with nothing before it.
 */
export function planConversationCompaction(
  turn: NeutralRequest,
  isWhole: boolean,
): ConversationCompactionPlan | undefined {
  const { messages } = turn;
  const last = messages.findLastIndex(isTrigger);
  if (!isWhole && last === -1) return undefined;
  const place = isWhole ? messages.length : last;
  const before = messages.slice(0, place).filter((message) => !isTrigger(message));
  if (before.length === 0) throw nothingToCompact(messages[place]);
  const after = messages.slice(place + 1);
  const unstored = { ...turn, echo: { ...turn.echo, store: false } };
  return {
    request: summaryRequest(unstored, before),
    continueWith: (summary) =>
      after.length === 0
        ? undefined
        : {
            ...unstored,
            messages: [userMessage(formatConversationSummaryMessage(summary)), ...after],
          },
  };
}

/** A summary as the user message that stands for what it sums up. */
export function formatConversationSummaryMessage(summary: string): string {
  return `${preface}\n\n${summary}`;
}

/** The tools stay, for the history calls them, but none may be called; the summary is free text. */
function summaryRequest(turn: NeutralRequest, before: readonly NeutralMessage[]): NeutralRequest {
  const hasTools = turn.tools.length > 0;
  return {
    ...turn,
    messages: [...before, userMessage(request)],
    toolChoice: hasTools ? { path: "tool_choice", kind: "none" } : undefined,
    format: undefined,
    logprobs: undefined,
  };
}

function userMessage(text: string): NeutralMessage {
  return { path: "input", role: "user", parts: [{ type: "text", path: "input", text }] };
}

function isTrigger({ parts }: NeutralMessage): boolean {
  return parts.some(isTriggerPart);
}

function isTriggerPart(part: NeutralPart): boolean {
  return part.type === "opaque" && part.name === compactionTriggerType;
}

function nothingToCompact(trigger: NeutralMessage | undefined) {
  const message = "There is no conversation to compact. Send one in `input`.";
  return invalidRequestError(trigger?.path ?? "input", message);
}
