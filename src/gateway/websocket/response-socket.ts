import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { asObject, asString } from "../../dialect/json.ts";
import { parseExactObject } from "../../dialect/parse-exact.ts";
import { parsedObject } from "../../dialect/parsed-object.ts";
import { responsesSurface } from "../../dialect/responses/index.ts";
import { socketErrorOf } from "../../dialect/responses/socket-error.ts";
import { warmedEvents } from "../../dialect/responses/warmed-response.ts";
import { ApiError, invalidRequest } from "../../platform/errors.ts";
import type { HeldBodies } from "../../platform/held-bodies.ts";
import { newId } from "../../platform/ids.ts";
import { tryWarm, whenWarm, type Warm } from "../../platform/warm.ts";
import { failureOf } from "../call/call-failure.ts";
import { CallProgress } from "../call/call-progress.ts";
import type { ArrivedCall } from "../call/model-call.ts";
import { readCallBody } from "../call/read-call-body.ts";
import { CallJourney, type CallObserver, type JourneyDependencies } from "../call-journey.ts";
import { ArrivingMessage } from "./arriving-message.ts";
import { readCreateMessage, type CreateMessage } from "./create-message.ts";
import { LastAnswer, withOutput } from "./last-answer.ts";
import { MessageSource } from "./message-source.ts";
import { textFrames } from "./text-frames.ts";
import { SocketCall, type MessageSink } from "./socket-call.ts";

/** What every connection works with. */
export interface ResponseSocketDependencies {
  readonly journey: JourneyDependencies;
  /** Who hears what becomes of a call. */
  readonly observe: (requestId: string, address: string) => CallObserver;
  /** Room for the answers that connections remember. */
  readonly room: HeldBodies;
}

/** What the request for the connection tells of all its calls. */
export interface SocketRequest {
  readonly keyId: string;
  /** Network address of the caller. */
  readonly address: string;
  /** With its question mark; empty: none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** Why a connection takes no more calls, and what its caller is told with its end. */
export interface Ending {
  /** Of RFC 6455, 7.4. */
  readonly closeCode: number;
  readonly reason: string;
  /** A message before it; undefined: none. */
  readonly message?: string;
}

/** How long a caller who sends too much has to read why it is cut. */
const lingerMs = 500;

/** More than this is not kept for a caller who does not read what refuses it. */
const mostUnreadBytes = 1024 * 1024;

/** One connection of the WebSocket mode: its messages are calls, one at a time. */
export class ResponseSocket implements MessageSink {
  readonly socket: Socket;
  /** `performance.now()`. */
  readonly openedAt = performance.now();
  readonly #dependencies: ResponseSocketDependencies;
  readonly #webSocket: WebSocket;
  readonly #request: SocketRequest;
  readonly #arriving: ArrivingMessage;
  readonly #last: LastAnswer;
  #call: SocketCall | undefined;
  /** Came when the answer before it was out and its call not yet over; undefined: none. */
  #next: Buffer | undefined;
  /** A message that asks for no model is being admitted. */
  #isWarming = false;
  #ending: Ending | undefined;

  constructor(
    dependencies: ResponseSocketDependencies,
    request: SocketRequest,
    webSocket: WebSocket,
    socket: Socket,
  ) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#webSocket = webSocket;
    this.socket = socket;
    this.#arriving = new ArrivingMessage(dependencies.journey.bodies, request.keyId);
    this.#last = new LastAnswer(dependencies.room, request.keyId);
    this.#listen();
  }

  /** Past the library, which would write each message twice; what comes in one turn goes out together. */
  sendAll(texts: readonly Buffer[]): void {
    const { socket } = this;
    if (texts.length === 0 || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(textFrames(texts));
  }

  /** A caller who does not read would not see a farewell either. */
  cut(): void {
    if (this.socket.writableNeedDrain) this.#webSocket.terminate();
    else this.#webSocket.close(1011, "The answer broke off.");
  }

  /** Keeps what stands between from taking the connection for dead; a silent caller need not answer. */
  ping(): void {
    if (this.#mayWrite()) this.#webSocket.ping();
  }

  /** Since when a message has been coming; undefined: none is. */
  get arrivingSince(): number | undefined {
    return this.#arriving.since;
  }

  /** Ends it in the middle of a message, of which nothing more is read; what came of it is let go soon. */
  dropMessage(closeCode: number, reason: string): void {
    this.#webSocket.close(closeCode, reason);
    this.#webSocket.pause();
    setTimeout(() => this.#webSocket.terminate(), lingerMs).unref();
  }

  /** Ends the connection behind the call that is under way. */
  endWith(ending: Ending): void {
    this.#ending ??= ending;
    if (!this.#isBusy) this.#end(this.#ending);
  }

  get #isBusy(): boolean {
    return this.#call !== undefined || this.#isWarming;
  }

  #listen(): void {
    const { socket } = this;
    const webSocket = this.#webSocket;
    // Before the library reads them.
    socket.prependListener("data", (chunk: Buffer) => this.#count(chunk));
    webSocket.on("message", (data, isBinary) => this.#hear(data as Buffer, isBinary));
    webSocket.on("ping", (payload) => this.#answerPing(payload));
    webSocket.on("pong", (payload) => this.#arriving.leaveOut(payload));
    webSocket.on("close", () => this.#closed());
    // The library has told the caller, and closes.
    webSocket.on("error", ignore);
  }

  #count(chunk: Buffer): void {
    try {
      this.#arriving.add(chunk.length);
    } catch (error) {
      this.#refuse(error);
      this.dropMessage(1013, "The message cannot be held now.");
    }
  }

  #answerPing(payload: Buffer): void {
    this.#arriving.leaveOut(payload);
    if (this.#mayWrite()) this.#webSocket.pong(payload);
  }

  #hear(data: Buffer, isBinary: boolean): void {
    this.#arriving.end();
    if (this.#call?.isAnswered === true && this.#next === undefined && !isBinary) this.#next = data;
    else this.#take(data, isBinary);
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#ending !== undefined && !this.#isBusy) return;
    try {
      if (isBinary) throw invalidRequest("type", "A message must be text, not binary.");
      if (this.#isBusy) throw callUnderWay();
      const { isOn } = this.#dependencies.journey.transcoding.turns;
      const message = readCreateMessage(data, this.#last.remembered, isOn);
      if (message.isGenerating) this.#start(message);
      else this.#warm(message);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #start(message: CreateMessage): void {
    const { journey, observe } = this.#dependencies;
    const arrived = this.#arrived();
    const call = new SocketCall(this, (data) => this.#remember(message, data));
    this.#call = call;
    const source = new MessageSource(message.body);
    new CallJourney(
      journey,
      observe(arrived.requestId, arrived.address),
      arrived,
      source,
      call,
    ).start();
    call.once("close", () => {
      this.#call = undefined;
      this.#goOn();
    });
  }

  /** Let in like a call, which it becomes none of: nothing is asked and nothing kept. */
  #warm(message: CreateMessage): void {
    const { journey, observe } = this.#dependencies;
    const arrived = this.#arrived();
    const progress = new CallProgress(arrived);
    const done = (): void => {
      progress.leave();
      this.#isWarming = false;
      this.#goOn();
    };
    this.#isWarming = true;
    const admitted = (): Warm<void> =>
      whenWarm(journey.admit(arrived, progress), () => {
        this.#answerWarm(message);
        done();
      });
    tryWarm(admitted, (error) => {
      if (!(error instanceof ApiError)) observe(arrived.requestId, arrived.address).failed(error);
      this.#refuse(error, arrived.requestId);
      done();
    });
  }

  #answerWarm({ body: bytes, items, previousId }: CreateMessage): void {
    readCallBody(bytes);
    const now = this.#dependencies.journey.clock.now();
    const id = newId("call", now).slice("call_".length);
    const body = parseExactObject(bytes.toString()) ?? {};
    const events = warmedEvents({ id, created: Math.floor(now / 1000), body });
    this.sendAll(events.map((event) => Buffer.from(JSON.stringify(event))));
    const response = asObject(events[0]?.["response"]);
    if (items === undefined || response === undefined) return;
    this.#last.remember({ id: asString(response["id"]) ?? "", previousId, items });
  }

  #remember({ isStored, items, previousId }: CreateMessage, data: string): void {
    this.#last.forget();
    if (items === undefined) return;
    const response = asObject(parsedObject(data)["response"]) ?? {};
    const id = asString(response["id"]);
    if (id === undefined || (isStored && response["store"] !== false)) return;
    this.#last.remember({ id, previousId, items: withOutput(items, response) });
  }

  /** As the request for the connection came, but for what was about the connection alone. */
  #arrived(): ArrivedCall {
    const { address, query, headers } = this.#request;
    return {
      requestId: newId("req"),
      address,
      surface: responsesSurface,
      query,
      headers,
      startedAt: performance.now(),
    };
  }

  #refuse(error: unknown, requestId: string = newId("req")): void {
    if (!this.#mayWrite()) return;
    const failure = failureOf(error);
    const docUrl = this.#dependencies.journey.docUrl(failure.catalogueCode);
    const body = responsesSurface.printError({ ...failure, docUrl, requestId });
    const { retryAfter } = failure;
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    this.sendAll([Buffer.from(socketErrorOf(failure.status, body, headers))]);
  }

  /** False: the caller sends and does not read, and is cut. */
  #mayWrite(): boolean {
    if (this.#webSocket.bufferedAmount <= mostUnreadBytes) return true;
    this.#webSocket.terminate();
    return false;
  }

  /** What came meanwhile is refused where the connection ends: its caller sends it on another one. */
  #goOn(): void {
    const next = this.#next;
    this.#next = undefined;
    if (this.#ending !== undefined) this.#end(this.#ending);
    else if (next !== undefined) this.#take(next, false);
  }

  #end({ closeCode, reason, message }: Ending): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (message !== undefined) this.sendAll([Buffer.from(message)]);
    this.#webSocket.close(closeCode, reason);
  }

  #closed(): void {
    this.#arriving.end();
    this.#last.forget();
    this.#next = undefined;
    this.#call?.leave();
  }
}

function ignore(): void {}

function callUnderWay(): ApiError {
  return new ApiError(
    "conflict",
    "A response is under way on this connection; wait for its end, or open another connection.",
  );
}
