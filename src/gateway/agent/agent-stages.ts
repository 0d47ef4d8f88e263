import type { AnswerContext } from "../../dialect/codec.ts";
import { codecOf } from "../../dialect/codecs.ts";
import { asArray, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { stepsOf } from "../../dialect/step-machine.ts";
import type { TurnError, TurnEvent } from "../../dialect/turn-event.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import { errorCatalogue, type ErrorCode } from "../../platform/errors.ts";
import { lookupTable } from "../../platform/lookup-table.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import type { Answer } from "../call/answer.ts";
import { failure, type CallFailure } from "../call/call-failure.ts";
import { lift, liftEach, optional, pipe, type Link, type Stage } from "../relay/stage.ts";
import { BodyWriter } from "../transcode/body-writer.ts";
import { StreamWriter } from "../transcode/stream-writer.ts";
import type { AgentRequest } from "./agent-request.ts";
import { objectArguments } from "./object-arguments.ts";
import { shownParts, type CallerTools } from "./shown-parts.ts";

/** The largest event of a turn: it holds the response with all that was said. */
const largestEventBytes = 64 * 1024 * 1024;

/** Who is answered, and how. */
export interface AgentAnswering {
  readonly answer: Answer;
  readonly dialect: Dialect;
  readonly isStream: boolean;
  readonly request: Pick<AgentRequest, "settings" | "recall">;
  readonly context: AnswerContext;
}

/** What the frames of an agent's turn go through to a caller of chat or messages. */
export function agentStages(answering: AgentAnswering): Stage<Buffer> {
  const { dialect, request } = answering;
  const shown = shownParts(declaredTools(request), dialect === "dialect_chat");
  return pipe(
    lift(new EventReader(largestEventBytes)),
    liftEach(codecOf("dialect_responses").decodeStream({ stop: [] })),
    liftEach(stepsOf(shown)),
    optional(dialect === "dialect_messages" ? liftEach(stepsOf(objectArguments())) : undefined),
    endOfTurn(),
    writerOf(answering),
  );
}

function writerOf({
  answer,
  dialect,
  isStream,
  context,
}: AgentAnswering): Stage<readonly TurnEvent[]> {
  const codec = codecOf(dialect);
  return isStream
    ? new StreamWriter(answer, codec.encodeStream(context))
    : new BodyWriter(answer, (whole) => codec.encodeAnswer(whole, context));
}

function declaredTools({ settings, recall }: AgentAnswering["request"]): CallerTools {
  return { names: new Set(namesIn(settings["tools"])), renamed: recall.tools };
}

/** Names of tools, those inside namespaces included. */
function namesIn(tools: unknown): readonly string[] {
  return asArray(tools)
    .map((tool): JsonObject => asObject(tool) ?? {})
    .flatMap((tool) => [...(asString(tool["name"])?.split("\0") ?? []), ...namesIn(tool["tools"])]);
}

/** A turn that failed is told as the failure that it is. */
function endOfTurn(): Link<readonly TurnEvent[], readonly TurnEvent[]> {
  return (next) => new EndOfTurn(next);
}

class EndOfTurn implements Stage<readonly TurnEvent[]> {
  readonly #next: Stage<readonly TurnEvent[]>;
  #isOver = false;

  constructor(next: Stage<readonly TurnEvent[]>) {
    this.#next = next;
  }

  push(events: readonly TurnEvent[]): boolean {
    const last = events.at(-1);
    if (last?.type !== "error") return this.#next.push(events);
    this.#isOver = true;
    if (events.length > 1) this.#next.push(events.slice(0, -1));
    this.#next.fail(failureOfTurn(last.error));
    return true;
  }

  finish(): void {
    if (!this.#isOver) this.#next.finish();
  }

  fail(cause: CallFailure): void {
    if (!this.#isOver) this.#next.fail(cause);
  }
}

const knownCodes = lookupTable<unknown>(errorCatalogue);

/** What a turn failed with, as a call tells it: by the status of its code, else 502. */
export function failureOfTurn({ code = "", message }: TurnError): CallFailure {
  if (knownCodes.has(code)) return failure(code as ErrorCode, message);
  const own = failure("upstream_incomplete", message);
  return { ...own, code: code === "" ? own.code : code, catalogueCode: undefined };
}
