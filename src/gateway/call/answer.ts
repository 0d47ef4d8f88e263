import { performance } from "node:perf_hooks";
import type { DialectError } from "../../dialect/dialect-error.ts";
import type { Loss } from "../../dialect/loss.ts";
import type { Usage } from "../../dialect/usage.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import { whenSocketsAreRead } from "../../platform/speed/when-sockets-are-read.ts";
import type { Stage } from "../relay/stage.ts";
import { answerHeaders } from "./answer-headers.ts";
import type { AnswerMeter } from "./answer-meter.ts";
import type { AnswerOutcome } from "./answer-outcome.ts";
import type { CallerConnection } from "./caller-connection.ts";
import type { CallFailure, FailureDocUrl } from "./call-failure.ts";
import type { CallProgress } from "./call-progress.ts";

/**
 * How far an answer has come: nothing is out, a stream of events is on its way,
 * a plain body is, all was said, or the connection was cut by us.
 */
type Phase = "open" | "streaming" | "relaying" | "over" | "cut";

/** How a stream of events begins, and how it tells that it failed. */
export interface StreamForm {
  readonly status: number;
  readonly contentType: string;
  /** The frames that tell a stream that has begun that it failed. */
  printError(error: DialectError): string;
}

/** Content type of a stream whose upstream names none, or the wrong one. */
export const ownStreamType = "text/event-stream; charset=utf-8";

/** Who may still do something about a failure of which the caller has heard nothing. */
export interface FailureJudge {
  /** True: the call goes on, and its caller is not told. */
  takesOver(cause: CallFailure): boolean;
}

/** How many streamed answers are on their way. */
export interface StreamCount {
  value: number;
}

/** What every answer works with. */
export interface AnswerDependencies {
  readonly docUrl: FailureDocUrl;
  readonly streams: StreamCount;
}

/** So many bytes are handed on at once: a caller that reads slowly is to be noticed soon. */
const lateBytesAtMost = 16 * 1024;

/** What streams carry beside the headers of every answer, against proxies that buffer. */
const streamHeaders = ["cache-control", "no-cache, no-transform", "x-accel-buffering", "no"];

/**
 * The caller's side of a model call, and the last of all its stages. Whatever goes wrong
 * is told in the way that is still open: an HTTP status, then the dialect's error event,
 * then a cut.
 */
export class Answer implements AnswerOutcome, Stage<Buffer> {
  /** Set by the stage before this one; undefined: nothing is known of the stream. */
  form: StreamForm | undefined;
  readonly #raw: CallerConnection;
  readonly #progress: CallProgress;
  readonly #docUrl: FailureDocUrl;
  readonly #streams: StreamCount;
  /** What transcoding lost on the way; the caller is told. */
  losses: readonly Loss[] = [];
  usage: Usage | undefined;
  meter: AnswerMeter | undefined;
  /** Undefined: every failure is told. */
  judge: FailureJudge | undefined;
  /** By which its upstream keeps a response that was passed through; undefined: it keeps none. */
  responseId: string | undefined;
  hasAnswer = false;
  errorCode: string | undefined;
  isAborted = false;
  #isClosed = false;
  #hasStreamed = false;
  #phase: Phase = "open";
  #bytes = 0;
  /** Was written and is not yet handed on. */
  #late: Buffer[] = [];
  #lateBytes = 0;
  /** Between two frames, and before the last: an event of ours may stand here. */
  #isInsertable = true;
  #lastWriteAt = 0;

  constructor(
    { docUrl, streams }: AnswerDependencies,
    progress: CallProgress,
    raw: CallerConnection,
  ) {
    this.#docUrl = docUrl;
    this.#streams = streams;
    this.#progress = progress;
    this.#raw = raw;
  }

  get status(): number {
    return this.isAborted ? 499 : this.#raw.statusCode;
  }

  get isWhole(): boolean {
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
  startAnew(): void {
    this.usage = undefined;
    this.meter = undefined;
    this.form = undefined;
  }

  /** The whole answer at once. */
  send(status: number, contentType: string, chunks: readonly Buffer[], length: number): void {
    this.#beginWhole(status, contentType, length);
    this.#endSoon(chunks, length);
  }

  /** The same as Latin-1 text, which Node joins to the head and writes in one piece. */
  sendText(status: number, contentType: string, text: string): void {
    this.#beginWhole(status, contentType, text.length);
    this.#bytes = text.length;
    whenSocketsAreRead(() => this.#raw.end(text, "latin1"));
  }

  /** Begins a body that is passed on piece by piece; its length is kept where it is known. */
  beginBody(status: number, contentType: string, length: string | undefined): void {
    const known = length === undefined ? [] : ["content-length", length];
    this.hasAnswer = true;
    this.#begin("relaying", status, ["content-type", contentType, ...known]);
  }

  /** Begins a stream of events, if nothing has begun. */
  beginStream(): void {
    if (!this.isOpen) return;
    const { status, contentType } = this.form ?? { status: 200, contentType: ownStreamType };
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
    this.#late.push(chunk);
    this.#lateBytes += chunk.length;
    if (this.#lateBytes >= lateBytesAtMost) this.#handOn();
    else if (this.#late.length === 1) whenSocketsAreRead(() => this.#handOn());
    return !this.#raw.writableNeedDrain;
  }

  /** Calls back when the caller has read what was too much for it. */
  whenDrained(listener: () => void): void {
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
    this.#handOn();
    this.#raw.end();
  }

  /**
   * Tells the caller that the call failed. In the middle of a frame or a body, or behind
   * bytes that the caller does not read, only a cut is left: no client takes that for a
   * clean end.
   */
  fail(cause: CallFailure): void {
    if (this.isOver) return;
    if (this.isOpen && this.judge?.takesOver(cause) === true) return;
    if (this.isOpen) this.#sendError(cause);
    else if (this.isStreaming && this.#canInsert()) this.#endStream(cause);
    else this.cut(cause.catalogueCode);
  }

  /** Drops the connection. */
  cut(code: ErrorCode | undefined): void {
    this.#phase = "cut";
    this.errorCode = code;
    this.#handOn();
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
    this.hasAnswer = true;
  }

  #handOn(): void {
    const chunks = this.#late;
    this.#late = [];
    this.#lateBytes = 0;
    for (const chunk of chunks) this.#raw.write(chunk);
  }

  #canInsert(): boolean {
    return this.#isInsertable && !this.#raw.writableNeedDrain;
  }

  #sendError(cause: CallFailure): void {
    const { surface } = this.#progress.call;
    const body = Buffer.from(surface.printError(this.#describe(cause)));
    const retryAfter = cause.retryAfter === undefined ? [] : ["retry-after", cause.retryAfter];
    this.#begin("over", cause.status, [
      "content-type",
      "application/json; charset=utf-8",
      "content-length",
      `${body.length}`,
      ...retryAfter,
      ...Object.entries(cause.headers).flat(),
    ]);
    this.#endSoon([body], body.length);
  }

  #endSoon(chunks: readonly Buffer[], length: number): void {
    this.#bytes = length;
    whenSocketsAreRead(() => {
      for (let index = 0; index < chunks.length - 1; index++) this.#raw.write(chunks[index]);
      this.#raw.end(chunks.at(-1));
    });
  }

  /** Without a form the stream has had no event yet. */
  #endStream(cause: CallFailure): void {
    const error = this.#describe(cause);
    const { surface } = this.#progress.call;
    const frames = this.form?.printError(error) ?? surface.printStreamError(error, "");
    this.push(Buffer.from(frames));
    this.finish();
  }

  /** A failure as the caller's dialect prints it. */
  #describe(failure: CallFailure): DialectError {
    this.errorCode = failure.code ?? "upstream_error";
    const docUrl = this.#docUrl(failure.catalogueCode);
    const { requestId, plan } = this.#progress.call;
    // A word of another dialect says nothing to this caller's client: the status decides.
    const type = plan?.lane === "transcode" ? undefined : failure.type;
    return { ...failure, type, docUrl, requestId };
  }

  #begin(phase: Phase, status: number, headers: readonly string[]): void {
    this.#phase = phase;
    const all = answerHeaders(this.#progress.call, this.losses);
    all.push(...headers);
    this.#raw.writeHead(status, all);
  }
}
