import { unknownModelCapabilities } from "../../../src/dialect/capabilities.ts";
import { getDialectCodec } from "../../../src/dialect/codecs.ts";
import type {
  DialectCodec,
  ResponseEncodingContext,
  StoredConversationItems,
} from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { NeutralResponseAccumulator } from "../../../src/dialect/neutral-response.ts";
import { encodeResponsesStoredOutputItems } from "../../../src/dialect/responses/stored-output.ts";
import { createToolCallRestorer } from "../../../src/dialect/restore-tool-calls.ts";
import { startStreamTransform } from "../../../src/dialect/step-machine.ts";
import {
  transcodeRequest,
  type TranscodedRequest,
} from "../../../src/dialect/transcode-request.ts";
import type { CallerResponse } from "../../../src/gateway/call/caller-response.ts";
import {
  reserveEmbeddedJsonMemory,
  parseCallBody,
} from "../../../src/gateway/call/parse-call-body.ts";
import {
  createOptionalStage,
  pipeStreamStages,
  createListTransformStage,
  createTransformStage,
  createTapStage,
  type StreamStage,
} from "../../../src/gateway/pass-through/stage.ts";
import { createReasoningCachingStage } from "../../../src/gateway/transcode/cache-reasoning.ts";
import { createStopSequenceStage } from "../../../src/gateway/transcode/end-at-stop.ts";
import { createWholeBodyDecoder } from "../../../src/gateway/transcode/read-whole-body.ts";
import { TranscodedUsageMeter } from "../../../src/gateway/transcode/transcode-meter.ts";
import { noopMemoryReserver } from "../../../src/platform/hold-memory.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";
import { answerContext, envelopeOf } from "../../support/codec-contexts.ts";
import type { DialectName } from "../../support/dialect-growth.ts";

/** A caller's request. */
export interface RequestDocument {
  readonly body: Buffer;
  /** Items of the stored response that it continues. */
  readonly stored: readonly JsonObject[];
}

/** The response of an upstream, and the chat request that it answers. */
export interface ResponseDocument {
  readonly request: Buffer;
  readonly response: Buffer;
}

/** Bytes of a response that are read at once. */
const readBytes = 64 * 1024;

const maxEventBytes = 16 * 1024 * 1024;

/** Knows what can be repeated, so that most documents get through. */
const capabilities = {
  ...unknownModelCapabilities,
  topK: true,
  serverTools: ["web_search"],
  mcpConnector: true,
  promptCache: true,
  reasoningEcho: true,
} as const;

/** Does what the gateway does with a request for an upstream of another dialect. */
export function transcodeBody(document: RequestDocument, from: DialectName, to: DialectName): void {
  const { encoded } = transcode(document, from, to);
  Buffer.from(JSON.stringify(encoded.body));
}

function transcode(
  { body, stored }: RequestDocument,
  from: DialectName,
  to: DialectName,
): TranscodedRequest {
  return transcodeRequest({
    from: codecOf(from),
    to: codecOf(to),
    body: parseCallBody(body, noopMemoryReserver),
    model: "up-model",
    headers: {},
    capabilities,
    envelope: envelopeOf(),
    isStrict: false,
    stored: storedItems(stored),
    countTexts: (texts) => reserveEmbeddedJsonMemory(texts, noopMemoryReserver),
  });
}

function storedItems(items: readonly JsonObject[]): StoredConversationItems {
  const found = { type: "message", role: "assistant", content: "b" };
  return { previous: items.length === 0 ? undefined : items, find: () => found };
}

/** Does what the gateway does with a stream for a caller of another dialect. */
export function readStream(document: ResponseDocument, from: DialectName, to: DialectName): void {
  const { request, encoded } = answeredRequest(document, from);
  const meter = newMeter();
  const decoder = codecOf(from).decodeStream({
    stop: request.stop?.value ?? [],
    countKept: (kept) => meter.countKept(kept),
  });
  const context = contextOf(request);
  const stages = pipeStreamStages(
    createTransformStage(new SseEventReader(maxEventBytes)),
    createListTransformStage(decoder),
    turnStages(encoded, context, meter, codecOf(to)),
  );
  pushAll(stages, document.response);
}

/** Does what the gateway does with a whole response for a caller of another dialect. */
export function readWhole(document: ResponseDocument, from: DialectName, to: DialectName): void {
  const { request, encoded } = answeredRequest(document, from);
  const context = contextOf(request);
  const decode = (body: JsonObject) => {
    codecOf(from).lostInResponse(body);
    return codecOf(from).decodeResponse(body, { stop: request.stop?.value ?? [] });
  };
  const stages = pipeStreamStages(
    createTransformStage(createWholeBodyDecoder(decode, noopMemoryReserver)),
    turnStages(encoded, context, newMeter(), codecOf(to)),
  );
  pushAll(stages, document.response);
}

function answeredRequest({ request }: ResponseDocument, to: DialectName): TranscodedRequest {
  return transcode({ body: request, stored: [] }, "chat", to);
}

function turnStages(
  { restoreInfo }: TranscodedRequest["encoded"],
  context: ResponseEncodingContext,
  meter: TranscodedUsageMeter,
  caller: DialectCodec,
): StreamStage<readonly NeutralEvent[]> {
  return pipeStreamStages(
    createTapStage((event: NeutralEvent) => meter.count(event)),
    createListTransformStage(startStreamTransform(createToolCallRestorer(restoreInfo, context.id))),
    createOptionalStage(createStopSequenceStage(restoreInfo.stop)),
    createTapStage((event: NeutralEvent) => meter.push(event)),
    createReasoningCachingStage(context.envelope, () => undefined),
    new ResponseWriter(caller, context),
  );
}

/** Writes all events as a stream and, at the end, as a whole response. */
class ResponseWriter implements StreamStage<readonly NeutralEvent[]> {
  readonly #caller: DialectCodec;
  readonly #context: ResponseEncodingContext;
  readonly #encoder: ReturnType<DialectCodec["encodeStream"]>;
  readonly #fold = new NeutralResponseAccumulator();

  constructor(caller: DialectCodec, context: ResponseEncodingContext) {
    this.#caller = caller;
    this.#context = context;
    this.#encoder = caller.encodeStream(context);
  }

  push(events: readonly NeutralEvent[]): boolean {
    let frames = "";
    for (const event of events) {
      const large = event.type === "part-delta" ? undefined : this.#encoder.largeFrames?.(event);
      if (large === undefined) frames += this.#encoder.push(event);
      else for (const frame of large) Buffer.from(frame);
      this.#fold.push(event);
    }
    Buffer.from(frames);
    return true;
  }

  finish(): void {
    const answer = this.#fold.answer();
    JSON.stringify(this.#caller.encodeResponse(answer, this.#context));
    if (this.#caller.dialect === "dialect_responses")
      encodeResponsesStoredOutputItems(answer, this.#context, []);
  }

  fail(): void {
    // Never called: errors are thrown.
  }
}

function contextOf(request: TranscodedRequest["request"]): ResponseEncodingContext {
  const summary = { summary: "auto", wantsEncrypted: true } as const;
  const reasoning = { path: "reasoning", mode: "default", effort: undefined } as const;
  return answerContext({
    ...request,
    reasoning: { ...reasoning, budgetTokens: undefined, ...summary },
  });
}

function newMeter(): TranscodedUsageMeter {
  return new TranscodedUsageMeter({} as CallerResponse, noopMemoryReserver);
}

function pushAll(stage: StreamStage<Buffer>, bytes: Buffer): void {
  for (let start = 0; start < bytes.length; start += readBytes)
    stage.push(bytes.subarray(start, start + readBytes));
  stage.finish();
}

function codecOf(dialect: DialectName): DialectCodec {
  return getDialectCodec(`dialect_${dialect}`);
}
