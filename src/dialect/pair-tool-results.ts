import { invalidRequestError } from "../platform/errors.ts";
import { disambiguateToolCallId } from "./tool-call-ids.ts";
import type {
  NeutralPart,
  ToolCallPart,
  ToolResultPart,
  NeutralRequest,
  NeutralMessage,
} from "./neutral-request.ts";

/**
 * Puts every result right behind the message with its call, in the order of the
 * calls, as the strictest dialect wants it. Throws 400 for a call without a
 * result, a result without a call and a second result: a made-up one would be
 * taken for the truth. An id that an earlier turn used is made new, for some
 * upstreams take an id once only.
 */
export function placeToolResultsAfterCalls(turn: NeutralRequest): NeutralRequest {
  if (!turn.messages.some(hasToolPart)) return turn;
  const messages = joinCalls(turn.messages);
  const pairing = new Pairing(turn, messages);
  const paired = messages.flatMap((message, place) => pairing.paired(message, place));
  pairing.refuseLeftOver();
  return { ...turn, messages: paired };
}

interface WaitingResult {
  readonly part: ToolResultPart;
  readonly path: string;
  readonly place: number;
}

/** Results of one id in their order; those before `next` have their calls. */
interface WaitingResults {
  readonly results: WaitingResult[];
  next: number;
}

/** The results that wait for their calls, and the ids that were given out. */
class Pairing {
  readonly #turn: NeutralRequest;
  readonly #waiting = new Map<string, WaitingResults>();
  readonly #occurrences = new Map<string, number>();

  constructor(turn: NeutralRequest, messages: readonly NeutralMessage[]) {
    this.#turn = turn;
    for (const [place, { parts, path }] of messages.entries()) {
      for (const part of parts) if (part.type === "tool-result") this.#wait({ part, path, place });
    }
  }

  paired(message: NeutralMessage, place: number): readonly NeutralMessage[] {
    const parts = message.parts.filter((part) => part.type !== "tool-result");
    if (parts.length === 0 && message.parts.length > 0) return [];
    const pairs = parts
      .filter((part) => part.type === "tool-call")
      .map((call) => this.#pair(call, message, place));
    if (pairs.length === 0) return [{ ...message, parts }];
    const calls = pairs.values();
    return [
      { ...message, parts: parts.map((part) => (part.type === "tool-call" ? next(calls) : part)) },
      {
        path: pairs[0]?.path ?? message.path,
        role: "tool",
        parts: pairs.map(({ result }) => result),
      },
    ];
  }

  refuseLeftOver(): void {
    for (const [id, { results, next }] of this.#waiting) {
      const left = results[next];
      if (left === undefined) continue;
      throw invalidRequestError(
        left.part.path,
        this.#occurrences.has(id)
          ? `The call \`${id}\` has two results. Send one.`
          : `There is no call \`${id}\` before this result. Send the message that made it.`,
      );
    }
  }

  #wait(result: WaitingResult): void {
    const { callId } = result.part;
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) this.#waiting.set(callId, { results: [result], next: 0 });
    else waiting.results.push(result);
  }

  #pair(call: ToolCallPart, message: NeutralMessage, place: number) {
    const { part, path } = this.#resultOf(call, message, place);
    const occurrence = (this.#occurrences.get(call.id) ?? 0) + 1;
    this.#occurrences.set(call.id, occurrence);
    const id = occurrence === 1 ? call.id : disambiguateToolCallId(call.id, occurrence);
    const result: ToolResultPart = { ...part, callId: id, kind: call.kind };
    return { call: { ...call, id }, result, path };
  }

  #resultOf(call: ToolCallPart, message: NeutralMessage, place: number): WaitingResult {
    const waiting = this.#waiting.get(call.id);
    const first = waiting?.results[waiting.next];
    const isItems = this.#turn.origin === "dialect_responses";
    if (waiting === undefined || first === undefined) {
      throw invalidRequestError(
        isItems ? call.path : message.path,
        `The call \`${call.id}\` has no result. Send one result for every call.`,
      );
    }
    if (first.place < place && !isItems) {
      throw invalidRequestError(
        first.part.path,
        `The result of \`${call.id}\` stands before its call.`,
      );
    }
    waiting.next += 1;
    return first;
  }
}

/** Calls of one turn may come in several messages; their results follow the last. */
function joinCalls(messages: readonly NeutralMessage[]): readonly NeutralMessage[] {
  const joined: NeutralMessage[] = [];
  /** Parts of the last message, if it has calls. */
  let open: NeutralPart[] | undefined;
  for (const message of messages) {
    if (open !== undefined && message.role === "assistant") {
      for (const part of message.parts) open.push(part);
      continue;
    }
    open = message.parts.some(isCall) ? [...message.parts] : undefined;
    joined.push(open === undefined ? message : { ...message, parts: open });
  }
  return joined;
}

function hasToolPart({ parts }: NeutralMessage): boolean {
  return parts.some((part) => part.type === "tool-call" || part.type === "tool-result");
}

function isCall(part: NeutralMessage["parts"][number]): boolean {
  return part.type === "tool-call";
}

/** As many calls come out as went in. */
function next(pairs: Iterator<{ readonly call: ToolCallPart }>): ToolCallPart {
  const { value, done } = pairs.next();
  if (done === true) throw new Error("a call was lost while pairing");
  return value.call;
}
