import type { ResponseEncodingContext } from "../../dialect/codec.ts";
import { getDialectCodec } from "../../dialect/codecs.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { maxAccumulatedTurnBytes } from "../../domain/durable-turn.ts";
import { startStreamTransform } from "../../dialect/step-machine.ts";
import type { NeutralError, NeutralEvent } from "../../dialect/neutral-event.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { errorCatalog, type ErrorCode } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import { SseEventReader } from "../../platform/sse/event-reader.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { createCallFailure, type CallFailure } from "../call/call-failure.ts";
import {
  createTransformStage,
  createListTransformStage,
  createOptionalStage,
  createTapStage,
  pipeStreamStages,
  type StreamStageFactory,
  type StreamStage,
} from "../pass-through/stage.ts";
import { CallerJsonResponseWriter } from "../transcode/body-writer.ts";
import { CallerEventStreamWriter } from "../transcode/stream-writer.ts";
import type { NormalizedAgentRequest } from "./agent-request.ts";
import { createToolArgumentsRepairer } from "./object-arguments.ts";
import { createAgentTurnEventFilter, type CallerDeclaredToolNames } from "./filter-turn-events.ts";

/** The largest event of a turn: it holds the whole answer, and settings of the request. */
const maxEventBytes = 2 * maxAccumulatedTurnBytes;

/** A text is held as it came, and in the answer that has it. */
const heldCopies = 2;

/** Who is answered, and how. */
export interface AgentResponseContext {
  readonly response: CallerResponse;
  readonly dialect: DialectId;
  readonly isStream: boolean;
  readonly request: Pick<NormalizedAgentRequest, "settings" | "restoreInfo">;
  readonly context: ResponseEncodingContext;
  /** Counts the memory of the answer. Throws 429 or 503 if the account may not hold so much. */
  readonly hold: MemoryReserver;
}

/** What the frames of an agent's turn go through to a caller of chat or messages. */
export function createAgentResponseStage(answering: AgentResponseContext): StreamStage<Buffer> {
  const { dialect, request } = answering;
  const shown = createAgentTurnEventFilter(declaredTools(request), dialect === "dialect_chat");
  return pipeStreamStages(
    createTransformStage(new SseEventReader(maxEventBytes)),
    createListTransformStage(getDialectCodec("dialect_responses").decodeStream({ stop: [] })),
    createListTransformStage(startStreamTransform(shown)),
    createTapStage(createHeldTextCounter(answering)),
    createOptionalStage(
      dialect === "dialect_messages"
        ? createListTransformStage(startStreamTransform(createToolArgumentsRepairer()))
        : undefined,
    ),
    endOfTurn(),
    writerOf(answering),
  );
}

/** Counts the texts that are held until the caller gets them. */
function createHeldTextCounter({
  dialect,
  isStream,
  hold,
}: AgentResponseContext): (event: NeutralEvent) => void {
  const count = createUpstreamDataMemoryCounter(hold);
  let bytes = 0;
  return (event) => {
    if (event.type !== "part-delta" || !("text" in event.delta)) return;
    const { type, text } = event.delta;
    // Callers of messages get arguments whole.
    const isHeld = !isStream || (type === "arguments" && dialect === "dialect_messages");
    if (isHeld) count((bytes += heldCopies * text.length));
  };
}

function writerOf({
  response: answer,
  dialect,
  isStream,
  context,
  hold,
}: AgentResponseContext): StreamStage<readonly NeutralEvent[]> {
  const codec = getDialectCodec(dialect);
  return isStream
    ? new CallerEventStreamWriter(answer, codec.encodeStream(context), hold)
    : new CallerJsonResponseWriter(answer, (whole) => codec.encodeResponse(whole, context));
}

function declaredTools({
  settings,
  restoreInfo: recall,
}: AgentResponseContext["request"]): CallerDeclaredToolNames {
  return { names: new Set(namesIn(settings["tools"])), renamed: recall.tools };
}

/** Names of tools, those inside namespaces included. */
function namesIn(tools: unknown): readonly string[] {
  return asArrayOrEmpty(tools)
    .map((tool): JsonObject => asObject(tool) ?? {})
    .flatMap((tool) => [...(asString(tool["name"])?.split("\0") ?? []), ...namesIn(tool["tools"])]);
}

/** A turn that failed is told as the failure that it is. */
function endOfTurn(): StreamStageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> {
  return (next) => new TurnEndStage(next);
}

class TurnEndStage implements StreamStage<readonly NeutralEvent[]> {
  readonly #next: StreamStage<readonly NeutralEvent[]>;
  #isOver = false;

  constructor(next: StreamStage<readonly NeutralEvent[]>) {
    this.#next = next;
  }

  push(events: readonly NeutralEvent[]): boolean {
    const last = events.at(-1);
    if (last?.type !== "error") return this.#next.push(events);
    this.#isOver = true;
    if (events.length > 1) this.#next.push(events.slice(0, -1));
    this.#next.fail(neutralErrorToCallFailure(last.error));
    return true;
  }

  finish(): void {
    if (!this.#isOver) this.#next.finish();
  }

  fail(cause: CallFailure): void {
    if (!this.#isOver) this.#next.fail(cause);
  }
}

const knownCodes = recordToMap<unknown>(errorCatalog);

/** What a turn failed with, as a call tells it: by the status of its code, else 502. */
export function neutralErrorToCallFailure({ code = "", message }: NeutralError): CallFailure {
  if (knownCodes.has(code)) return createCallFailure(code as ErrorCode, message);
  const own = createCallFailure("upstream_incomplete", message);
  return { ...own, code: code === "" ? own.code : code, catalogueCode: undefined };
}
