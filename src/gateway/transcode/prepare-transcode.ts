import type { AnswerContext, EncodedRequest, KeptItems } from "../../dialect/codec.ts";
import { codecOf } from "../../dialect/codecs.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { Capabilities } from "../../dialect/capabilities.ts";
import { LossLedger } from "../../dialect/loss.ts";
import { parseExactObject } from "../../dialect/parse-exact.ts";
import type { ReasoningEnvelope } from "../../dialect/reasoning-envelope.ts";
import type { RememberedThoughts } from "../../dialect/remembered-thoughts.ts";
import { transcodeRequest } from "../../dialect/transcode-request.ts";
import { compactSurface } from "../../dialect/responses/compact-surface.ts";
import { keptOutput } from "../../dialect/responses/kept-output.ts";
import type { TurnAnswer } from "../../dialect/turn-answer.ts";
import type { Turn } from "../../dialect/turn.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import { newId } from "../../platform/ids.ts";
import type { Answer } from "../call/answer.ts";
import { capabilitiesOf } from "./capabilities-of.ts";
import { transcodedHeaders, transcodedPath, type CallTarget } from "../dial/call-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { Plan } from "../routing/plan.ts";
import type { Warm } from "../../platform/warm.ts";
import { keptReferences, loadKept, ownItems } from "../response/kept-references.ts";
import type { KeptTurns } from "../response/kept-turns.ts";
import type { SummarySeal } from "../response/summary-seal.ts";
import type { Outbound } from "../dial/outbound.ts";
import type { ThoughtMemory, ThoughtOwner } from "./thought-memory.ts";
import { TranscodeLane } from "./transcode-lane.ts";

/** What transcoding needs of the installation. */
export interface TranscodeDependencies {
  /** Seals what one upstream and model must have back. */
  readonly envelopeOf: (upstream: string, model: string) => ReasoningEnvelope;
  readonly turns: KeptTurns;
  /** Seals the summaries of conversations to their accounts. */
  readonly summaries: SummarySeal;
  readonly thoughts: ThoughtMemory;
  readonly clock: Clock;
  /** An error that is no refusal: a fault of ours. */
  readonly reportFault: (error: unknown) => void;
}

/** A call to be transcoded. */
export interface CallToTranscode {
  readonly call: ModelCall;
  readonly answer: Answer;
  readonly accountId: string;
  readonly plan: Plan;
  readonly target: CallTarget;
  readonly body: JsonObject;
  readonly isStrict: boolean;
}

/**
 * Writes the caller's request for its upstream; throws 400 for what cannot be
 * carried. The losses stand in the answer's `x-svc-warnings`. Only a call that
 * refers to kept turns waits for the database.
 */
export function prepareTranscode(
  dependencies: TranscodeDependencies,
  input: CallToTranscode,
): Warm<TranscodeLane> {
  const references = isResponses(input) ? keptReferences(input.body) : undefined;
  if (references === undefined) return makeLane(dependencies, input, undefined);
  const kept = loadKept(dependencies, input.accountId, references);
  return kept.then((items) => makeLane(dependencies, input, items));
}

/** The same for an answer that came in another form than was asked for: nothing is looked up. */
export function makeLane(
  dependencies: TranscodeDependencies,
  input: CallToTranscode,
  kept: KeptItems | undefined,
): TranscodeLane {
  const { call, plan, target, isStrict, body } = input;
  const { dialect, upstreamModel: model } = plan;
  const between = {
    from: codecOf(call.surface.dialect),
    to: codecOf(dialect),
    envelope: dependencies.envelopeOf(target.name, model),
    model,
    capabilities: capabilitiesOf(plan.target, target, dialect, model),
  };
  const headers = dialectHeaders(call);
  const owner = { accountId: input.accountId, keyId: call.key.principal.keyId };
  const thoughts = thoughtsFor(dependencies.thoughts, owner, call.surface.dialect, dialect);
  const isCompaction = call.surface === compactSurface;
  const request = transcodeRequest({
    ...between,
    body,
    headers,
    isStrict,
    kept,
    thoughts,
    isCompaction,
  });
  input.answer.losses = request.losses;
  const context = answerContext(dependencies, input, request.turn, between.envelope);
  return new TranscodeLane({
    ...between,
    call,
    answer: input.answer,
    target,
    turn: request.turn,
    compaction: request.compaction,
    sealSummary: (summary) => dependencies.summaries.seal(input.accountId, summary),
    context,
    encoded: request.encoded,
    encode: (turn: Turn, capabilities: Capabilities) =>
      between.to.encodeRequest(turn, { ledger: new LossLedger(), model, capabilities }),
    dial: (sent) => dialOf(call, target, dialect, sent),
    reportFault: dependencies.reportFault,
    keep: context.echo.store ? keeperOf(dependencies, input, kept, context) : undefined,
    remember:
      thoughts && ((called, sealed) => dependencies.thoughts.remember(owner, called, sealed)),
  });
}

function isResponses({ call }: CallToTranscode): boolean {
  return call.surface.dialect === "dialect_responses";
}

/** What is remembered for a caller who may not send back what it was given; undefined: it does. */
export function thoughtsFor(
  memory: ThoughtMemory,
  owner: ThoughtOwner,
  from: Dialect,
  to: Dialect,
): RememberedThoughts | undefined {
  return from === "dialect_chat" && to !== "dialect_chat" ? memory.of(owner) : undefined;
}

function answerContext(
  { clock, turns }: TranscodeDependencies,
  input: CallToTranscode,
  turn: Turn,
  envelope: ReasoningEnvelope,
): AnswerContext {
  const { call, body, plan } = input;
  const now = clock.now();
  // Where the vendor is called with the caller's own credential, it keeps what it answered itself.
  const isOurs = plan.lane === "transcode" || plan.route === "credits";
  const isCompaction = call.surface === compactSurface;
  const isKept = isResponses(input) && !isCompaction && isOurs && body["store"] !== false;
  return {
    turn,
    id: newId("call", now).slice("call_".length),
    created: Math.floor(now / 1000),
    completed: whenFirstAsked(clock),
    envelope,
    estimatedInput: call.estimatedInput,
    isCompaction,
    echo: {
      store: isKept && turns.isOn,
      previousResponseId: asString(body["previous_response_id"]),
    },
  };
}

/** Unix seconds of the first asking: what is kept of an answer and what its caller gets are the same. */
function whenFirstAsked(clock: Clock): () => number {
  let seconds: number | undefined;
  return () => (seconds ??= Math.floor(clock.now() / 1000));
}

/** Keeps a whole answer, as its caller gets it. */
function keeperOf(
  { turns, reportFault }: TranscodeDependencies,
  { accountId, body }: CallToTranscode,
  kept: KeptItems | undefined,
  context: AnswerContext,
): (answer: TurnAnswer) => Promise<void> {
  return async (answer) => {
    try {
      const response = codecOf("dialect_responses").encodeAnswer(answer, context);
      const id = asString(response["id"]) ?? "";
      const previousId = context.echo.previousResponseId;
      const output = keptOutput(answer, context);
      const input = ownItems(body, kept);
      await turns.keep({ accountId, id, previousId, input, response, output });
    } catch (error) {
      reportFault(error);
    }
  };
}

function dialOf(
  call: ModelCall,
  target: CallTarget,
  dialect: Dialect,
  { body, headers }: EncodedRequest,
): Omit<Outbound, "receive"> {
  return {
    target,
    path: transcodedPath(target, dialect),
    headers: transcodedHeaders(target, call.headers, headers),
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Request headers that a codec may read; the others say nothing about the turn. */
function dialectHeaders({ headers }: ModelCall): Readonly<Record<string, string | undefined>> {
  return {
    "anthropic-version": headers["anthropic-version"]?.toString(),
    "anthropic-beta": headers["anthropic-beta"]?.toString(),
    "openai-beta": headers["openai-beta"]?.toString(),
  };
}

/** The body of a call as an object; it was checked to be one when it was read. */
export function parseBody(bytes: Buffer): JsonObject {
  const body = parseExactObject(bytes.toString());
  if (body === undefined) throw new Error("The body of a call is no object.");
  return body;
}
