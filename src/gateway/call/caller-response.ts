import { performance } from "node:perf_hooks";
import type { CallerFacingError } from "../../dialect/dialect-error.ts";
import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import type { TokenUsage } from "../../dialect/usage.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import { runAfterSocketReads } from "../../platform/speed/after-socket-reads.ts";
import type { StreamStage } from "../pass-through/stage.ts";
import { buildCallResponseHeaders } from "./call-response-headers.ts";
import type { ResponseUsageMeter } from "./usage-meter.ts";
import type { CallerResponseOutcome } from "./response-outcome.ts";
import type { CallResponseWritable } from "./caller-connection.ts";
import { toCallFailure, type CallFailure, type FailureDocUrlBuilder } from "./call-failure.ts";
import type { CallProgress } from "./call-progress.ts";

/**
 * How far an answer has come: nothing is out, a stream of events is on its way,
 * a plain body is, all was said, or the connection was cut by us.
 */
type Phase = "open" | "streaming" | "relaying" | "over" | "cut";

/** How a stream of events begins, and how it tells that it failed. */
export interface CallerStreamFormat {
  readonly status: number;
  readonly contentType: string;
  /** The frames that tell a stream that has begun that it failed. */
  serializeError(error: CallerFacingError): string;
}

/** Content type of a stream whose upstream names none, or the wrong one. */
export const defaultEventStreamContentType = "text/event-stream; charset=utf-8";

/** Who may still do something about a failure of which the caller has heard nothing. */
export interface CallFailoverPolicy {
  /** True: the call goes on, and its caller is not told. */
  shouldFailOver(cause: CallFailure): boolean;
}

/** How many streamed answers are on their way. */
export interface ActiveStreamCounter {
  value: number;
}

/** What every answer works with. */
export interface CallerResponseDependencies {
  readonly docUrl: FailureDocUrlBuilder;
  readonly streams: ActiveStreamCounter;
}

/** So many bytes are handed on at once: a caller that reads slowly is to be noticed soon. */
const maxUnflushedBytes = 16 * 1024;

/** What streams carry beside the headers of every answer, against proxies that buffer. */
const streamHeaders = ["cache-control", "no-cache, no-transform", "x-accel-buffering", "no"];

/**
 * The caller's side of a model call, and the last of all its stages. Whatever goes wrong
 * is told in the way that is still open: an HTTP status, then the dialect's error event,
 * then a cut.
 */
export class CallerResponse implements CallerResponseOutcome, StreamStage<Buffer> {
  /** Set by the stage before this one; undefined: nothing is known of the stream. */
  form: CallerStreamFormat | undefined;
  readonly #raw: CallResponseWritable;
  readonly #progress: CallProgress;
  readonly #docUrl: FailureDocUrlBuilder;
  readonly #streams: ActiveStreamCounter;
  /** What transcoding lost on the way; the caller is told. */
  warnings: readonly ConversionWarning[] = [];
  usage: TokenUsage | undefined;
  meter: ResponseUsageMeter | undefined;
  /** Undefined: every failure is told. */
  failoverPolicy: CallFailoverPolicy | undefined;
  /** By which its upstream keeps a response that was passed through; undefined: it keeps none. */
  responseId: string | undefined;
  hasBody = false;
  errorCode: string | undefined;
  shownErrorCode: string | undefined;
  isAborted = false;
  #isClosed = false;
  #hasStreamed = false;
  #phase: Phase = "open";
  #bytes = 0;
  /** Large parts that are not passed on yet. */
  #parts: Iterator<Buffer> | undefined;
  /** Was written and is not yet handed on. */
  #unflushed: Buffer[] = [];
  #lateBytes = 0;
  /** Between two frames, and before the last: an event of ours may stand here. */
  #isInsertable = true;
  #lastWriteAt = 0;

  constructor(
    { docUrl, streams }: CallerResponseDependencies,
    progress: CallProgress,
    raw: CallResponseWritable,
  ) {
    this.#docUrl = docUrl;
    this.#streams = streams;
    this.#progress = progress;
    this.#raw = raw;
  }

  get status(): number {
    return this.isAborted ? 499 : this.#raw.statusCode;
  }

  get isComplete(): boolean {
    return this.#isClosed && !this.isAborted && this.errorCode === undefined;
  }

  /** Nothing has reached the caller: a status can still be chosen. */
  get isOpen(): boolean {
    return this.#phase === "open";
  }

  /** A stream has begun and goes on. */
  get isStreaming(): boolean {
    return this.#phase === "streaming";
  }

  /** Everything was said. */
  get isOver(): boolean {
    return this.#phase === "over" || this.#phase === "cut";
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `performance.now()` of the last write. */
  get lastWriteAt(): number {
    return this.#lastWriteAt;
  }

  /** Another upstream is asked: what the last one told of its answer counts no more. */
  reset(): void {
    this.usage = undefined;
    this.meter = undefined;
    this.form = undefined;
  }

  /** The whole answer at once. */
  send(status: number, contentType: string, body: Buffer): void {
    this.#beginWhole(status, contentType, body.length);
    this.#endAfterReads(body);
  }

  /** The same as Latin-1 text, which Node joins to the head and writes in one piece. */
  sendText(status: number, contentType: string, text: string): void {
    this.#beginWhole(status, contentType, text.length);
    this.#bytes = text.length;
    runAfterSocketReads(() => this.#raw.end(text, "latin1"));
  }

  /** Begins a body that is passed on piece by piece; its length is kept where it is known. */
  beginBody(status: number, contentType: string, length: string | undefined): void {
    const known = length === undefined ? [] : ["content-length", length];
    this.hasBody = true;
    this.#begin("relaying", status, ["content-type", contentType, ...known]);
  }

  /** Begins a stream of events, if nothing has begun. */
  beginStream(): void {
    if (!this.isOpen) return;
    const { status, contentType } = this.form ?? {
      status: 200,
      contentType: defaultEventStreamContentType,
    };
    this.#hasStreamed = true;
    this.#streams.value += 1;
    this.#lastWriteAt = performance.now();
    this.#begin("streaming", status, ["content-type", contentType, ...streamHeaders]);
  }

  /**
   * Passes bytes on, when the sockets are read or there are enough of them; false: the
   * caller reads slower than they come. They begin a stream where nothing has begun.
   */
  push(chunk: Buffer): boolean {
    this.beginStream();
    this.#bytes += chunk.length;
    this.#lastWriteAt = performance.now();
    this.#unflushed.push(chunk);
    this.#lateBytes += chunk.length;
    if (this.#lateBytes >= maxUnflushedBytes) this.#flush();
    else if (this.#unflushed.length === 1) runAfterSocketReads(() => this.#flush());
    return !this.#raw.writableNeedDrain;
  }

  /**
   * Passes large parts on, each when the caller has read the one before; false: not all are
   * passed on yet. Push nothing before they are. The answer ends behind them.
   */
  pushParts(parts: Iterable<Buffer>): boolean {
    this.#parts = parts[Symbol.iterator]();
    return this.#writeParts();
  }

  /** Calls back when the caller has read what was too much for it. */
  onDrain(listener: () => void): void {
    this.#raw.once("drain", listener);
  }

  /** Whether an event of ours may follow what was written last. */
  setInsertable(isInsertable: boolean): void {
    this.#isInsertable = isInsertable;
  }

  /** Keeps a silent stream alive, where a frame of ours may stand. */
  keepAlive(): void {
    if (this.#canInsert()) this.push(Buffer.from(this.#progress.call.surface.keepAlive));
  }

  /** Ends what was begun, as it should. */
  finish(): void {
    this.#phase = "over";
    if (this.#parts === undefined) this.#endRaw();
  }

  /**
   * Tells the caller that the call failed. In the middle of a frame or a body, or behind
   * bytes that the caller does not read, only a cut is left: no client takes that for a
   * clean end.
   */
  fail(cause: CallFailure): void {
    if (this.isOver) return;
    if (this.isOpen && this.failoverPolicy?.shouldFailOver(cause) === true) return;
    if (this.isOpen) this.#sendError(cause);
    else if (this.isStreaming && this.#canInsert()) this.#endStream(cause);
    else this.cut(cause.catalogueCode);
  }

  /** Drops the connection. */
  cut(code: ErrorCode | undefined): void {
    this.#phase = "cut";
    this.#parts = undefined;
    this.errorCode = code;
    this.shownErrorCode = code;
    this.#flush();
    this.#raw.destroy();
  }

  /** The connection has closed: it is known what became of the answer. */
  close(): void {
    if (this.#hasStreamed) this.#streams.value -= 1;
    this.#isClosed = true;
    this.isAborted = this.#phase === "over" ? !this.#raw.writableFinished : this.#phase !== "cut";
  }

  #beginWhole(status: number, contentType: string, length: number): void {
    this.#begin("over", status, ["content-type", contentType, "content-length", `${length}`]);
    this.hasBody = true;
  }

  #flush(): void {
    const chunks = this.#unflushed;
    this.#unflushed = [];
    this.#lateBytes = 0;
    for (const chunk of chunks) this.#raw.write(chunk);
  }

  #canInsert(): boolean {
    return this.#isInsertable && this.#parts === undefined && !this.#raw.writableNeedDrain;
  }

  #writeParts(): boolean {
    const parts = this.#parts;
    if (parts === undefined || this.#isClosed) return false;
    while (!this.#raw.writableNeedDrain) {
      const part = parts.next();
      if (part.done === true) return this.#endParts();
      this.push(part.value);
      this.#flush();
    }
    this.#raw.once("drain", () => this.#writeMoreParts());
    return false;
  }

  /** Cuts the answer when a part cannot be made. */
  #writeMoreParts(): void {
    try {
      this.#writeParts();
    } catch (error) {
      this.cut(toCallFailure(error).catalogueCode);
    }
  }

  #endParts(): boolean {
    this.#parts = undefined;
    if (this.#phase === "over") this.#endRaw();
    return true;
  }

  #endRaw(): void {
    this.#flush();
    this.#raw.end();
  }

  #sendError(cause: CallFailure): void {
    const { surface } = this.#progress.call;
    const body = Buffer.from(surface.serializeError(this.#describe(cause)));
    const retryAfter = cause.retryAfter === undefined ? [] : ["retry-after", cause.retryAfter];
    this.#begin("over", cause.status, [
      "content-type",
      "application/json; charset=utf-8",
      "content-length",
      `${body.length}`,
      ...retryAfter,
      ...Object.entries(cause.headers).flat(),
    ]);
    this.#endAfterReads(body);
  }

  #endAfterReads(body: Buffer): void {
    this.#bytes = body.length;
    runAfterSocketReads(() => this.#raw.end(body));
  }

  /** Without a form the stream has had no event yet. */
  #endStream(cause: CallFailure): void {
    const error = this.#describe(cause);
    const { surface } = this.#progress.call;
    const frames = this.form?.serializeError(error) ?? surface.serializeStreamError(error, "");
    this.push(Buffer.from(frames));
    this.finish();
  }

  /** A failure as the caller's dialect prints it. */
  #describe(failure: CallFailure): CallerFacingError {
    this.errorCode = failure.code ?? "upstream_error";
    const docUrl = this.#docUrl(failure.catalogueCode);
    const { requestId, plan, surface } = this.#progress.call;
    // A word of another dialect says nothing to this caller's client: the status decides.
    const type = plan?.lane === "transcode" ? undefined : failure.type;
    const error = { ...failure, type, docUrl, requestId };
    this.shownErrorCode = surface.shownErrorCode(error) ?? this.errorCode;
    return error;
  }

  #begin(phase: Phase, status: number, headers: readonly string[]): void {
    this.#phase = phase;
    const all = buildCallResponseHeaders(this.#progress.call, this.warnings);
    all.push(...headers);
    this.#raw.writeHead(status, all);
  }
}
