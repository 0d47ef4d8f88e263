import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { asObject, asString } from "../../dialect/json.ts";
import { parsedObject } from "../../dialect/parsed-object.ts";
import { responsesSurface } from "../../dialect/responses/index.ts";
import { socketErrorOf } from "../../dialect/responses/socket-error.ts";
import { ApiError, invalidRequest } from "../../platform/errors.ts";
import { accountHolder } from "../../platform/body-holder.ts";
import { type HeldBodies } from "../../platform/held-bodies.ts";
import { newId } from "../../platform/ids.ts";
import { tryWarm, whenWarm, type Warm } from "../../platform/warm.ts";
import { failureOf } from "../call/call-failure.ts";
import { CallProgress } from "../call/call-progress.ts";
import type { ArrivedCall } from "../call/model-call.ts";
import { CallJourney, type CallObserver, type JourneyDependencies } from "../call-journey.ts";
import { ArrivingMessage } from "./arriving-message.ts";
import { readCreateMessage, type CreateMessage } from "./create-message.ts";
import { LastAnswer, withOutput } from "./last-answer.ts";
import { MessageSocket, type SocketEnding, type MessageListener } from "./message-socket.ts";
import { MessageSource } from "./message-source.ts";
import { SocketCall } from "./socket-call.ts";
import { warmedAnswer } from "./warmed-answer.ts";

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
  /** Of the key. */
  readonly accountId: string;
  /** Network address of the caller. */
  readonly address: string;
  /** With its question mark; empty: none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** One connection of the WebSocket mode: its messages are calls, one at a time. */
export class ResponseSocket implements MessageListener {
  /** `performance.now()`. */
  readonly openedAt = performance.now();
  /** What its messages come and go over. */
  readonly messages: MessageSocket;
  readonly #dependencies: ResponseSocketDependencies;
  readonly #request: SocketRequest;
  readonly #last: LastAnswer;
  #call: SocketCall | undefined;
  /** Came when the answer before it was out and its call not yet over; undefined: none. */
  #next: Buffer | undefined;
  /** A message that asks for no model is being admitted. */
  #isWarming = false;
  #ending: SocketEnding | undefined;

  constructor(
    dependencies: ResponseSocketDependencies,
    request: SocketRequest,
    webSocket: WebSocket,
    socket: Socket,
  ) {
    this.#dependencies = dependencies;
    this.#request = request;
    const holder = accountHolder(request.accountId);
    const arriving = new ArrivingMessage(dependencies.journey.bodies, holder);
    this.messages = new MessageSocket(webSocket, socket, arriving, this);
    this.#last = new LastAnswer(dependencies.room, holder);
  }

  /** Ends the connection behind the call that is under way. */
  endWith(ending: SocketEnding): void {
    this.#ending ??= ending;
    if (!this.#isBusy) this.messages.end(this.#ending);
  }

  heard(data: Buffer, isBinary: boolean): void {
    if (this.#call?.isAnswered === true && this.#next === undefined && !isBinary) this.#next = data;
    else this.#take(data, isBinary);
  }

  overflowed(error: unknown): void {
    this.#refuse(error);
  }

  closed(): void {
    this.#last.forget();
    this.#next = undefined;
    this.#call?.leave();
  }

  get #isBusy(): boolean {
    return this.#call !== undefined || this.#isWarming;
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#ending !== undefined && !this.#isBusy) return;
    try {
      if (isBinary) throw invalidRequest("type", "A message must be text, not binary.");
      if (this.#isBusy) throw callUnderWay();
      const { isOn } = this.#dependencies.journey.transcoding.turns;
      const message = readCreateMessage(data, this.#last.remembered, isOn);
      // As with the vendor, an answer that could not be gone on from is not gone on from again.
      if (message.isContinued) this.#last.forget();
      if (message.isGenerating) this.#start(message);
      else this.#warm(message);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #start(message: CreateMessage): void {
    const { journey, observe } = this.#dependencies;
    const arrived = this.#arrived();
    const call = new SocketCall(this.messages, (data) => this.#remember(message, data));
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

  #answerWarm({ body, items, previousId }: CreateMessage): void {
    const { id, events } = warmedAnswer(body, this.#dependencies.journey.clock.now());
    this.messages.sendAll(events);
    if (items !== undefined) this.#last.remember({ id, previousId, items });
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
    if (!this.messages.mayWrite()) return;
    const failure = failureOf(error);
    const docUrl = this.#dependencies.journey.docUrl(failure.catalogueCode);
    const body = responsesSurface.printError({ ...failure, docUrl, requestId });
    const { retryAfter } = failure;
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    this.messages.sendAll([Buffer.from(socketErrorOf(failure.status, body, headers))]);
  }

  /** What came meanwhile is refused where the connection ends: its caller sends it on another one. */
  #goOn(): void {
    const next = this.#next;
    this.#next = undefined;
    if (this.#ending !== undefined) this.messages.end(this.#ending);
    else if (next !== undefined) this.#take(next, false);
  }
}

function callUnderWay(): ApiError {
  return new ApiError(
    "conflict",
    "A response is under way on this connection; wait for its end, or open another connection.",
  );
}
