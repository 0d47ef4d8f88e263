import type { IncomingMessage, ServerResponse } from "node:http";
import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import { ApiError } from "../../platform/errors.ts";
import type { HeldBodies, HeldBody } from "../../platform/held-bodies.ts";
import { admitCall, type Admission } from "../admission/admit-call.ts";
import { Answer, type StreamCount } from "../call/answer.ts";
import { settle } from "../call/bill.ts";
import { failureOf } from "../call/call-failure.ts";
import type { CallRecord } from "../call/call-record.ts";
import type { Exchange } from "../dial/exchange.ts";
import { ModelCall, type DocUrl } from "../call/model-call.ts";
import type { Warm } from "../../platform/warm.ts";
import { prepareCall, type CallDependencies } from "../call/prepare-call.ts";
import { readBody } from "./read-body.ts";

/** What the routes need to serve calls, beside the address of a request. */
export interface SessionDependencies extends CallDependencies {
  readonly admission: Admission;
  readonly maxBodyBytes: number;
  readonly bodies: HeldBodies;
  readonly docUrl: DocUrl;
  readonly streams: StreamCount;
}

/** Who hears what becomes of one call. */
export interface CallObserver {
  /** Id of the request, as its answer's `x-request-id` shows it. */
  readonly requestId: string;
  /** Address of the caller. */
  readonly address: string;
  /** Called once when the call has ended, also when it was refused. */
  ended(record: CallRecord): void;
  /** An error that is no refusal: a fault of ours. */
  failed(error: unknown): void;
}

/** One HTTP request of a model route, from its headers to the close of its answer. */
export class CallSession {
  readonly #dependencies: SessionDependencies;
  readonly #observer: CallObserver;
  readonly #request: IncomingMessage;
  readonly #raw: ServerResponse;
  readonly #call: ModelCall;
  readonly #answer: Answer;
  #exchange: Exchange | undefined;
  #held: HeldBody | undefined;
  #isClosed = false;

  constructor(
    dependencies: SessionDependencies,
    surface: DialectSurface,
    observer: CallObserver,
    request: IncomingMessage,
    raw: ServerResponse,
  ) {
    this.#dependencies = dependencies;
    this.#observer = observer;
    this.#request = request;
    this.#raw = raw;
    this.#call = new ModelCall(observer.requestId, surface, request, dependencies.docUrl);
    this.#answer = new Answer(raw, this.#call, dependencies.streams);
    // Before whoever writes the log line of the request, which tells how the call ended.
    raw.prependListener("close", () => this.#close());
  }

  /**
   * Lets the call in by its headers, reads its body and serves it, at once as far
   * as all is warm; whatever goes wrong is answered. A warm call awaits nothing.
   */
  start(): void {
    try {
      const { address } = this.#observer;
      const admitted = admitCall(this.#dependencies.admission, this.#call, address);
      if (admitted instanceof Promise) this.#readLater(admitted);
      else this.#read();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #readLater(admitted: Promise<void>): void {
    admitted.then(
      () => this.#read(),
      (error: unknown) => this.#refuse(error),
    );
  }

  #read(): void {
    const { key } = this.#call;
    if (this.#isClosed || key === undefined) return;
    const { bodies, maxBodyBytes } = this.#dependencies;
    const held = bodies.open(key.principal.keyId);
    this.#held = held;
    readBody(this.#request, maxBodyBytes, held, (error, body) => {
      if (body === undefined) this.#refuse(error);
      else this.#serve(body);
    });
  }

  #serve(body: Buffer): void {
    try {
      const exchange = this.#prepare(body);
      if (exchange instanceof Promise) this.#dialLater(exchange);
      else this.#dial(exchange);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Answers with a refusal, or with 500 for an error that is none. */
  #refuse(error: unknown): void {
    this.#held?.release();
    if (this.#isClosed) return;
    if (!(error instanceof ApiError)) this.#observer.failed(error);
    this.#answer.fail(failureOf(error));
  }

  #dialLater(exchange: Promise<Exchange>): void {
    exchange.then(
      (ready) => this.#dial(ready),
      (error: unknown) => this.#refuse(error),
    );
  }

  #dial(exchange: Exchange): void {
    if (this.#isClosed) {
      this.#settle();
      return;
    }
    this.#exchange = exchange;
    this.#raw.on("drain", () => exchange.resume());
    exchange.start();
  }

  #prepare(body: Buffer): Warm<Exchange> {
    const { key, controls } = this.#call;
    if (key === undefined || controls === undefined) throw new Error("The call was not admitted.");
    const admitted = { call: this.#call, key, controls };
    return prepareCall(this.#dependencies, admitted, this.#answer, body);
  }

  #close(): void {
    this.#isClosed = true;
    // Before all that could throw: a place that is not given back is lost.
    this.#call.leave();
    this.#held?.release();
    this.#exchange?.stop();
    const isAborted = this.#answer.close();
    const { statusCode } = this.#raw;
    const record = this.#call.record(statusCode, isAborted, this.#answer.bytes);
    this.#observer.ended(record);
    this.#settle();
  }

  #settle(): void {
    try {
      const settled = settle(this.#dependencies, this.#call);
      if (settled instanceof Promise) {
        settled.catch((error: unknown) => this.#observer.failed(error));
      }
    } catch (error) {
      this.#observer.failed(error);
    }
  }
}
