import type { ResponseContext } from "../../dialect/codec.ts";
import { getCodec } from "../../dialect/codecs.ts";
import { asArray, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { maxTurnBytes } from "../../domain/durable-turn.ts";
import { startSteps } from "../../dialect/step-machine.ts";
import type { NeutralError, NeutralEvent } from "../../dialect/neutral-event.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import { errorCatalog, type ErrorCode } from "../../platform/errors.ts";
import { lookupTable } from "../../platform/lookup-table.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { callFailure, type CallFailure } from "../call/call-failure.ts";
import {
  stageFromSteps,
  stageFromEach,
  optionalStage,
  pipeStages,
  type StageFactory,
  type Stage,
} from "../pass-through/stage.ts";
import { BodyWriter } from "../transcode/body-writer.ts";
import { StreamWriter } from "../transcode/stream-writer.ts";
import type { AgentRequest } from "./agent-request.ts";
import { objectArguments } from "./object-arguments.ts";
import { filterTurnEvents, type CallerTools } from "./filter-turn-events.ts";

/** The largest event of a turn: it holds the whole answer, and settings of the request. */
const maxEventBytes = 2 * maxTurnBytes;

/** Who is answered, and how. */
export interface AgentResponseContext {
  readonly response: CallerResponse;
  readonly dialect: Dialect;
  readonly isStream: boolean;
  readonly request: Pick<AgentRequest, "settings" | "restoreInfo">;
  readonly context: ResponseContext;
}

/** What the frames of an agent's turn go through to a caller of chat or messages. */
export function agentStages(answering: AgentResponseContext): Stage<Buffer> {
  const { dialect, request } = answering;
  const shown = filterTurnEvents(declaredTools(request), dialect === "dialect_chat");
  return pipeStages(
    stageFromSteps(new EventReader(maxEventBytes)),
    stageFromEach(getCodec("dialect_responses").decodeStream({ stop: [] })),
    stageFromEach(startSteps(shown)),
    optionalStage(
      dialect === "dialect_messages" ? stageFromEach(startSteps(objectArguments())) : undefined,
    ),
    endOfTurn(),
    writerOf(answering),
  );
}

function writerOf({
  response: answer,
  dialect,
  isStream,
  context,
}: AgentResponseContext): Stage<readonly NeutralEvent[]> {
  const codec = getCodec(dialect);
  return isStream
    ? new StreamWriter(answer, codec.encodeStream(context))
    : new BodyWriter(answer, (whole) => codec.encodeResponse(whole, context));
}

function declaredTools({
  settings,
  restoreInfo: recall,
}: AgentResponseContext["request"]): CallerTools {
  return { names: new Set(namesIn(settings["tools"])), renamed: recall.tools };
}

/** Names of tools, those inside namespaces included. */
function namesIn(tools: unknown): readonly string[] {
  return asArray(tools)
    .map((tool): JsonObject => asObject(tool) ?? {})
    .flatMap((tool) => [...(asString(tool["name"])?.split("\0") ?? []), ...namesIn(tool["tools"])]);
}

/** A turn that failed is told as the failure that it is. */
function endOfTurn(): StageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> {
  return (next) => new TurnEndStage(next);
}

class TurnEndStage implements Stage<readonly NeutralEvent[]> {
  readonly #next: Stage<readonly NeutralEvent[]>;
  #isOver = false;

  constructor(next: Stage<readonly NeutralEvent[]>) {
    this.#next = next;
  }

  push(events: readonly NeutralEvent[]): boolean {
    const last = events.at(-1);
    if (last?.type !== "error") return this.#next.push(events);
    this.#isOver = true;
    if (events.length > 1) this.#next.push(events.slice(0, -1));
    this.#next.fail(turnFailureToCallFailure(last.error));
    return true;
  }

  finish(): void {
    if (!this.#isOver) this.#next.finish();
  }

  fail(cause: CallFailure): void {
    if (!this.#isOver) this.#next.fail(cause);
  }
}

const knownCodes = lookupTable<unknown>(errorCatalog);

/** What a turn failed with, as a call tells it: by the status of its code, else 502. */
export function turnFailureToCallFailure({ code = "", message }: NeutralError): CallFailure {
  if (knownCodes.has(code)) return callFailure(code as ErrorCode, message);
  const own = callFailure("upstream_incomplete", message);
  return { ...own, code: code === "" ? own.code : code, catalogueCode: undefined };
}
