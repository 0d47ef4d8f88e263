import type { UpstreamContext } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { Loss } from "../../dialect/loss.ts";
import type { Recall } from "../../dialect/recall.ts";
import { restoreCalls } from "../../dialect/restore-calls.ts";
import { stepsOf } from "../../dialect/step-machine.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import { upstreamErrorInBody } from "../dial/upstream-error.ts";
import { lift, liftEach, optional, pipe, tap, type Stage } from "../relay/stage.ts";
import { BodyWriter } from "./body-writer.ts";
import { continuation, type ToldBefore } from "./continuation.ts";
import { endAtStop } from "./end-at-stop.ts";
import { endTurn, type GoesOn, type TurnState } from "./end-turn.ts";
import { AnsweredWithError, guardTurn } from "./guard-turn.ts";
import { keepAnswer } from "./keep-answer.ts";
import { rememberThoughts } from "./remember-thoughts.ts";
import { StreamWriter } from "./stream-writer.ts";
import { sumUp } from "./sum-up.ts";
import type { TranscodedCall } from "./transcoded-call.ts";
import type { TurnMeter } from "./turn-meter.ts";
import { wholeBody } from "./whole-body.ts";

/** The largest frame of a stream. */
const largestEventBytes = 16 * 1024 * 1024;

/** One dial of a transcoded call, as its answer is read. */
export interface DialledTurn {
  readonly parts: TranscodedCall;
  /** What the encoder of its request renamed and wrapped. */
  readonly recall: Recall;
  /** What the caller has of earlier dials; undefined: this one begins the answer. */
  readonly before: ToldBefore | undefined;
  readonly meter: TurnMeter;
  readonly goesOn: GoesOn;
  /** Takes the summary that this dial asks for, and seals it; undefined: it asks for an answer. */
  readonly takeSummary: ((summary: string) => string) | undefined;
  /** Of all dials. */
  readonly callerStages: Stage<readonly TurnEvent[]>;
}

/** What a stream of an upstream goes through: pieces, events of the stream, neutral events. */
export function streamStages(dialled: DialledTurn): Stage<Buffer> {
  const { parts } = dialled;
  const state: TurnState = { phase: "open" };
  return pipe(
    guardTurn(state, parts),
    lift(new EventReader(largestEventBytes)),
    liftEach(parts.to.decodeStream(upstreamContext(parts))),
    turnStages(dialled, state),
  );
}

/** What an answer that is one object goes through: pieces, neutral events. */
export function bodyStages(dialled: DialledTurn): Stage<Buffer> {
  const { parts } = dialled;
  const state: TurnState = { phase: "open" };
  return pipe(
    guardTurn(state, parts),
    lift(wholeBody((body) => decodeBody(parts, body))),
    turnStages(dialled, state),
  );
}

/** What the neutral events of one dial go through. */
function turnStages(
  { parts, recall, before, meter, goesOn, takeSummary, callerStages }: DialledTurn,
  state: TurnState,
): Stage<readonly TurnEvent[]> {
  return pipe(
    liftEach(stepsOf(restoreCalls(recall, parts.context.id))),
    optional(endAtStop(recall.stop)),
    optional(before && liftEach(stepsOf(continuation(before)))),
    tap((event) => meter.push(event)),
    pipe(optional(takeSummary && sumUp(takeSummary)), endTurn(state, parts, goesOn), callerStages),
  );
}

/** What the neutral events of all dials go through to their caller. */
export function callerStages({
  call,
  answer,
  from,
  context,
  keep,
  remember,
}: TranscodedCall): Stage<readonly TurnEvent[]> {
  return pipe(
    optional(remember && rememberThoughts(context.envelope, remember)),
    optional(keep && keepAnswer(keep)),
    call.isStream
      ? new StreamWriter(answer, from.encodeStream(context))
      : new BodyWriter(answer, (whole) => from.encodeAnswer(whole, context)),
  );
}

function upstreamContext({ turn }: TranscodedCall): UpstreamContext {
  return { stop: turn.stop?.value ?? [] };
}

function decodeBody(parts: TranscodedCall, body: JsonObject): readonly TurnEvent[] {
  if (isErrorObject(body)) {
    throw new AnsweredWithError(upstreamErrorInBody(parts.target, JSON.stringify(body)));
  }
  const { to, answer } = parts;
  answer.losses = [...answer.losses, ...to.lostInAnswer(body).map(unsupported)];
  return to.decodeAnswer(body, upstreamContext(parts));
}

function unsupported(path: string): Loss {
  return { path, action: "dropped", reason: "unsupported" };
}

/** An error in the place of an answer: `{"type": "error", …}`, or `{"error": …}` and no answer. */
function isErrorObject(body: JsonObject): boolean {
  const { error, type } = body;
  if (type === "error") return true;
  const isSaid = typeof error === "object" ? error !== null : typeof error === "string";
  return isSaid && !("choices" in body) && !("output" in body) && !("content" in body);
}
