import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { StreamStage } from "../pass-through/stage.ts";
import type { OutboundRequest } from "./outbound-request.ts";

/** Given to undici as the reason of an abort. */
const callOver = new Error("The call is over.");

/** Who made a dial and hears what becomes of it. */
export interface UpstreamResponseListener {
  /** The request goes out on a connection. */
  onSent(): void;
  /** An answer has begun; gives who takes its body. */
  onResponse(status: number, headers: IncomingHttpHeaders): StreamStage<Buffer>;
  /** A piece of the body has come. */
  onData(chunk: Buffer): void;
  /** A whole body of so many bytes has come; `finish` reads it. */
  onBody(bytes: number, finish: () => void): void;
  /** It, or the head before it, was taken; false: no more until the caller has read. */
  onConsumed(mayGoOn: boolean): void;
  /** The answer has ended, as its receiver was told. */
  onEnd(): void;
  /** There was no answer, or it broke off. */
  onError(error: Error): void;
}

/** One dial of an upstream. Whoever abandons it hears no more of it. */
export class UpstreamDispatchHandler implements Dispatcher.DispatchHandler {
  readonly #listener: UpstreamResponseListener;
  #controller: Dispatcher.DispatchController | undefined;
  #receiver: StreamStage<Buffer> | undefined;
  #status = 0;
  #bytes = 0;
  #isEventStream = false;
  #isAbandoned = false;

  constructor(listener: UpstreamResponseListener) {
    this.#listener = listener;
  }

  /** Who takes the body of the answer; undefined: none has begun. */
  get receiver(): StreamStage<Buffer> | undefined {
    return this.#receiver;
  }

  /** Its answer's head says enough: a status can still be told. */
  get isErrorStatus(): boolean {
    return this.#status >= 400;
  }

  /** Neither a refusal nor anything of a body has come. */
  get hasReceivedNothing(): boolean {
    return !this.isErrorStatus && this.#bytes === 0;
  }

  send(dispatcher: Dispatcher, { target, path, headers, body }: OutboundRequest): void {
    const request: Dispatcher.DispatchOptions = {
      origin: target.origin,
      path,
      method: "POST",
      headers,
      body,
      // The watch keeps the limits of all calls with one timer.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    dispatcher.dispatch(request, this);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#controller?.abort(callOver);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAbandoned) controller.abort(callOver);
    else this.#listener.onSent();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#isAbandoned || status < 200) return;
    this.#status = status;
    this.#isEventStream = headers["content-type"]?.startsWith("text/event-stream") === true;
    this.#receiver = this.#listener.onResponse(status, headers);
    this.#listener.onConsumed(true);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isAbandoned || this.#receiver === undefined) return;
    this.#listener.onData(chunk);
    this.#bytes += chunk.length;
    this.#listener.onConsumed(this.#receiver.push(chunk));
  }

  onResponseEnd(): void {
    if (this.#isEventStream) this.#finish();
    else this.#listener.onBody(this.#bytes, () => this.#finish());
  }

  #finish(): void {
    if (this.#isAbandoned || this.#receiver === undefined) return;
    if (!this.hasReceivedNothing) this.#receiver.finish();
    this.#listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isAbandoned) this.#listener.onError(error);
  }
}
