import type {
  ResponseEncodingContext,
  EncodedRequest,
  StoredConversationItems,
} from "../../dialect/codec.ts";
import { getDialectCodec } from "../../dialect/codecs.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { ModelCapabilities } from "../../dialect/capabilities.ts";
import { ConversionWarningCollector } from "../../dialect/conversion-warning.ts";
import type { ReasoningEnvelopeSealer } from "../../dialect/reasoning-envelope.ts";
import type { CachedReasoningLookup } from "../../dialect/cached-reasoning.ts";
import { transcodeRequest } from "../../dialect/transcode-request.ts";
import { compactionDialectOperation } from "../../dialect/responses/compact-surface.ts";
import { encodeResponsesStoredOutputItems } from "../../dialect/responses/stored-output.ts";
import type { NeutralRequest } from "../../dialect/neutral-request.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import type { Clock } from "../../platform/clock.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { newResourceId } from "../../platform/ids.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { resolveCapabilities } from "./resolve-capabilities.ts";
import {
  buildTranscodedRequestHeaders,
  transcodedRequestPath,
  type ResolvedUpstream,
} from "../upstream/call-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { reserveEmbeddedJsonMemory } from "../call/parse-call-body.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import {
  findStoredReferences,
  loadReferencedItems,
  resolveInputItems,
} from "../stored-responses/stored-references.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import type { SummarySealer } from "../stored-responses/summary-seal.ts";
import type { OutboundRequest } from "../upstream/outbound-request.ts";
import type { ReasoningCache, ReasoningCacheCaller } from "./reasoning-cache.ts";
import type { NeutralResponseStoreCallback } from "./store-transcoded-response.ts";
import { TranscodedCallHandler } from "./transcode-lane.ts";

/** What transcoding needs of the installation. */
export interface TranscodeDependencies {
  /** Seals what one upstream and model must have back. */
  readonly envelopeOf: (upstream: string, model: string) => ReasoningEnvelopeSealer;
  readonly storedResponses: StoredResponses;
  /** Seals the summaries of conversations to their accounts. */
  readonly summaries: SummarySealer;
  readonly reasoningCache: ReasoningCache;
  readonly clock: Clock;
  /** An error that is no refusal: a fault of ours. */
  readonly reportInternalError: (error: unknown) => void;
}

/** A call to be transcoded. */
export interface TranscodeCallInput {
  readonly call: ModelCall;
  readonly response: CallerResponse;
  readonly accountId: string;
  readonly plan: PlannedCallTarget;
  readonly target: ResolvedUpstream;
  readonly body: JsonObject;
  readonly isStrict: boolean;
}

/**
 * Writes the caller's request for its upstream; throws 400 for what cannot be
 * carried. The losses stand in the answer's `x-svc-warnings`. Only a call that
 * refers to kept turns waits for the database.
 */
export function prepareTranscodedCall(
  dependencies: TranscodeDependencies,
  input: TranscodeCallInput,
): MaybePromise<TranscodedCallHandler> {
  const references = isResponses(input) ? findStoredReferences(input.body) : undefined;
  if (references === undefined) return createTranscodedCallHandler(dependencies, input, undefined);
  const kept = loadReferencedItems(dependencies, input.accountId, references, input.call.hold);
  return kept.then((items) => createTranscodedCallHandler(dependencies, input, items));
}

/** The same for an answer that came in another form than was asked for: nothing is looked up. */
export function createTranscodedCallHandler(
  dependencies: TranscodeDependencies,
  input: TranscodeCallInput,
  kept: StoredConversationItems | undefined,
): TranscodedCallHandler {
  const { call, plan, target, isStrict, body } = input;
  const { dialect, upstreamModel: model } = plan;
  const between = {
    from: getDialectCodec(call.surface.dialect),
    to: getDialectCodec(dialect),
    envelope: dependencies.envelopeOf(target.name, model),
    model,
    capabilities: resolveCapabilities(plan.target, target, dialect, model),
  };
  const headers = dialectHeaders(call);
  const owner = { accountId: input.accountId, keyId: call.key.principal.keyId };
  const thoughts = createCachedReasoningLookup(
    dependencies.reasoningCache,
    owner,
    call.surface.dialect,
    dialect,
    call.hold,
  );
  const isCompaction = call.surface === compactionDialectOperation;
  const request = transcodeRequest({
    ...between,
    body,
    headers,
    isStrict,
    stored: kept,
    reasoning: thoughts,
    isCompaction,
    countTexts: (texts) => reserveEmbeddedJsonMemory(texts, call.hold),
  });
  input.response.warnings = request.warnings;
  const context = answerContext(dependencies, input, request.request, between.envelope);
  return new TranscodedCallHandler({
    ...between,
    call,
    response: input.response,
    target,
    request: request.request,
    compaction: request.compaction,
    sealSummary: (summary) => dependencies.summaries.seal(input.accountId, summary),
    context,
    encoded: request.encoded,
    encode: (turn: NeutralRequest, capabilities: ModelCapabilities) =>
      between.to.encodeRequest(turn, {
        warnings: new ConversionWarningCollector(),
        model,
        capabilities,
      }),
    toOutboundRequest: (sent) => dialOf(call, target, dialect, sent),
    reportInternalError: dependencies.reportInternalError,
    storeResponse: context.echo.store
      ? responseStorer(dependencies, input, kept, context)
      : undefined,
    cacheReasoning:
      thoughts && ((called, sealed) => dependencies.reasoningCache.set(owner, called, sealed)),
  });
}

function isResponses({ call }: TranscodeCallInput): boolean {
  return call.surface.dialect === "dialect_responses";
}

/**
 * What is remembered for a caller who may not send back what it was given; undefined: it does.
 * `hold` counts what a request takes of it.
 */
export function createCachedReasoningLookup(
  memory: ReasoningCache,
  owner: ReasoningCacheCaller,
  from: DialectId,
  to: DialectId,
  hold: MemoryReserver,
): CachedReasoningLookup | undefined {
  return from === "dialect_chat" && to !== "dialect_chat" ? memory.lookUp(owner, hold) : undefined;
}

function answerContext(
  { clock, storedResponses: turns }: TranscodeDependencies,
  input: TranscodeCallInput,
  turn: NeutralRequest,
  envelope: ReasoningEnvelopeSealer,
): ResponseEncodingContext {
  const { call, body, plan } = input;
  const now = clock.now();
  // Where the vendor is called with the caller's own credential, it keeps what it answered itself.
  const isOurs = plan.lane === "transcode" || plan.route === "credits";
  const isCompaction = call.surface === compactionDialectOperation;
  const isKept = isResponses(input) && !isCompaction && isOurs && body["store"] !== false;
  return {
    request: turn,
    id: newResourceId("call", now).slice("call_".length),
    created: Math.floor(now / 1000),
    completed: memoizeTime(clock),
    envelope,
    estimatedInput: call.estimatedInput,
    isCompaction,
    echo: {
      store: isKept && turns.isEnabled,
      previousResponseId: asString(body["previous_response_id"]),
    },
  };
}

/** Unix seconds of the first asking: what is kept of an answer and what its caller gets are the same. */
function memoizeTime(clock: Clock): () => number {
  let seconds: number | undefined;
  return () => (seconds ??= Math.floor(clock.now() / 1000));
}

/** Keeps a whole answer, as its caller gets it. */
function responseStorer(
  { storedResponses: turns, reportInternalError: reportFault }: TranscodeDependencies,
  { accountId, body }: TranscodeCallInput,
  kept: StoredConversationItems | undefined,
  context: ResponseEncodingContext,
): NeutralResponseStoreCallback {
  return async (answer, written) => {
    try {
      const response =
        written?.body ?? getDialectCodec("dialect_responses").encodeResponse(answer, context);
      const id = asString(response["id"]) ?? "";
      const previousId = context.echo.previousResponseId;
      const output = encodeResponsesStoredOutputItems(answer, context, outputOf(response));
      const input = resolveInputItems(body, kept);
      await turns.store({
        accountId,
        id,
        previousId,
        input,
        response,
        output,
        ...(written && { texts: written.texts }),
      });
    } catch (error) {
      reportFault(error);
    }
  };
}

/** The list itself, so that its JSON is written once. */
function outputOf(response: JsonObject): readonly JsonObject[] {
  return response["output"] as readonly JsonObject[];
}

function dialOf(
  call: ModelCall,
  target: ResolvedUpstream,
  dialect: DialectId,
  { body, headers }: EncodedRequest,
): Omit<OutboundRequest, "receive"> {
  return {
    target,
    path: transcodedRequestPath(target, dialect),
    headers: buildTranscodedRequestHeaders(target, call.headers, headers),
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
