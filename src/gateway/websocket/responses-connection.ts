import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { asObject, asString } from "../../dialect/json.ts";
import { parseJsonObjectOrEmpty } from "../../dialect/parse-object.ts";
import { responsesDialectOperation } from "../../dialect/responses/index.ts";
import { webSocketErrorFromBody } from "../../dialect/responses/websocket-error.ts";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import {
  createAccountBodyMemoryOwner,
  type RequestBodyMemoryOwner,
} from "../../platform/body-holder.ts";
import type {
  RequestBodyMemoryBudget,
  HeldRequestBody,
} from "../../platform/body-memory-budget.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { newResourceId } from "../../platform/ids.ts";
import {
  runMaybePromiseReportingErrors,
  chainMaybePromise,
  type MaybePromise,
} from "../../platform/maybe-promise.ts";
import { toCallFailure } from "../call/call-failure.ts";
import { CallProgress } from "../call/call-progress.ts";
import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { estimateParsedBodyMemory } from "../call/parse-call-body.ts";
import type { ReceivedModelCall } from "../call/model-call.ts";
import {
  ModelCallPipeline,
  type CallEndObserver,
  type ModelCallPipelineDependencies,
} from "../model-call-pipeline.ts";
import { WebSocketMessageMemoryTracker } from "./partial-message.ts";
import { parseWebSocketResponseRequest, type WebSocketResponseRequest } from "./create-message.ts";
import { LastResponseCache } from "./last-response.ts";
import {
  WebSocketConnection,
  type WebSocketCloseReason,
  type WebSocketConnectionHandler,
} from "./websocket-connection.ts";
import { WebSocketMessageRequest } from "./message-request.ts";
import { WebSocketCall } from "./websocket-call.ts";
import { createWebSocketWarmupResponse } from "./warmup.ts";

/** What every connection works with. */
export interface ResponsesWebSocketConnectionDependencies {
  readonly pipeline: ModelCallPipelineDependencies;
  /** Who hears what becomes of a call. */
  readonly observe: (requestId: string, address: string) => CallEndObserver;
  /** Room for the answers that connections remember. */
  readonly memoryBudget: RequestBodyMemoryBudget;
}

/** What the request for the connection tells of all its calls. */
export interface WebSocketUpgradeContext {
  /** Of the key. */
  readonly accountId: string;
  /** Network address of the caller. */
  readonly address: string;
  /** With its question mark; empty: none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** A message that waits for the end of the call before it. */
interface WaitingMessage {
  readonly data: Buffer;
  readonly held: HeldRequestBody;
}

/** One connection of the WebSocket mode: its messages are calls, one at a time. */
export class ResponsesWebSocketConnection implements WebSocketConnectionHandler {
  /** `performance.now()`. */
  readonly openedAt = performance.now();
  /** What its messages come and go over. */
  readonly messages: WebSocketConnection;
  readonly #dependencies: ResponsesWebSocketConnectionDependencies;
  readonly #request: WebSocketUpgradeContext;
  readonly #holder: RequestBodyMemoryOwner;
  readonly #last: LastResponseCache;
  #call: WebSocketCall | undefined;
  /** Came when the answer before it was out and its call not yet over; undefined: none. */
  #next: WaitingMessage | undefined;
  /** Ends the message with `generate: false` whose answer is not sent yet; undefined: no such message. */
  #endWarm: (() => void) | undefined;
  /** The answer to that message is being sent. */
  #isWarmAnswered = false;
  #ending: WebSocketCloseReason | undefined;

  constructor(
    dependencies: ResponsesWebSocketConnectionDependencies,
    request: WebSocketUpgradeContext,
    webSocket: WebSocket,
    socket: Socket,
  ) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#holder = createAccountBodyMemoryOwner(request.accountId);
    const arriving = new WebSocketMessageMemoryTracker(dependencies.pipeline.bodies, this.#holder);
    this.messages = new WebSocketConnection(webSocket, socket, arriving, this);
    this.#last = new LastResponseCache(dependencies.memoryBudget, this.#holder);
  }

  /** Ends the connection behind the call that is under way. */
  endWith(ending: WebSocketCloseReason): void {
    this.#ending ??= ending;
    if (!this.#isBusy) this.messages.end(this.#ending);
  }

  /**
   * Ends the connection because its credential was refused: what has arrived of a message is
   * dropped at once, and a call that is under way ends first. Ignores errors that say nothing
   * of the credential.
   */
  endCredential(error: unknown): void {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) return;
    if (this.#ending !== undefined) return;
    this.messages.stopTaking();
    this.#next?.held.release();
    this.#next = undefined;
    this.endWith({
      closeCode: 1008,
      reason: "The key of this connection is no longer valid.",
      message: this.#errorMessage(error, newResourceId("req")),
    });
  }

  onMessage(data: Buffer, isBinary: boolean, held: HeldRequestBody): void {
    const isAnswered = this.#call?.isAnswered === true || this.#isWarmAnswered;
    const mayWait = isAnswered && this.#next === undefined && !isBinary;
    if (!mayWait) {
      this.#take(data, isBinary, held);
      return;
    }
    this.#next = { data, held };
    held.finish((reason) => {
      this.#next = undefined;
      this.#reject(reason);
    });
  }

  onOverflow(error: unknown): void {
    this.#reject(error);
  }

  onClose(): void {
    this.#last.forget();
    this.#next?.held.release();
    this.#next = undefined;
    this.#call?.leave();
    this.#endWarm?.();
  }

  get #isBusy(): boolean {
    return this.#call !== undefined || this.#endWarm !== undefined;
  }

  #take(data: Buffer, isBinary: boolean, held: HeldRequestBody): void {
    try {
      this.#read(data, isBinary, held);
    } catch (error) {
      held.release();
      this.#reject(error);
    }
  }

  #read(data: Buffer, isBinary: boolean, held: HeldRequestBody): void {
    if (this.#ending !== undefined && !this.#isBusy) {
      held.release();
      return;
    }
    if (isBinary) throw invalidRequestError("type", "A message must be text, not binary.");
    if (this.#isBusy) throw callUnderWay();
    const { isEnabled: isOn } = this.#dependencies.pipeline.transcoding.storedResponses;
    const message = parseWebSocketResponseRequest(data, this.#last.remembered, isOn);
    // As with the vendor, an answer that could not be gone on from is not gone on from again.
    if (message.isContinued) this.#last.forget();
    // A conversation that the connection remembered is now part of the body.
    held.add(Math.max(0, message.body.length - held.bytes));
    if (message.isGenerating) this.#start(message, held);
    else this.#warmUp(message, held);
  }

  #start(message: WebSocketResponseRequest, held: HeldRequestBody): void {
    const { pipeline: journey, observe } = this.#dependencies;
    const arrived = this.#arrived();
    const { body, items, isStored, previousId } = message;
    const isRemembered = items !== undefined;
    this.#last.begin(items);
    const heldAnswer = journey.bodies.allocate(this.#holder);
    const holdMore = createUpstreamDataMemoryCounter((bytes) => heldAnswer.hold(bytes));
    const hold = (bytes: number): void => {
      try {
        holdMore(bytes);
      } catch (error) {
        // Its listener has told the caller.
        if (!heldAnswer.wasEnded) this.#reject(error, arrived.requestId);
        throw error;
      }
    };
    const call = new WebSocketCall(this.messages, hold, (data) => {
      if (isRemembered) this.#remember(isStored, previousId, data);
      else this.#last.forget();
    });
    this.#call = call;
    heldAnswer.finish((reason) => {
      this.#reject(reason, arrived.requestId);
      call.destroy();
    });
    const source = new WebSocketMessageRequest(body, held);
    new ModelCallPipeline(
      journey,
      observe(arrived.requestId, arrived.address),
      arrived,
      source,
      call,
    ).start();
    call.once("close", () => {
      heldAnswer.release();
      this.#call = undefined;
      this.#last.end();
      this.#goOn();
    });
  }

  /** Let in like a call, which it becomes none of: nothing is asked and nothing kept. */
  #warmUp(message: WebSocketResponseRequest, held: HeldRequestBody): void {
    const { pipeline: journey, observe } = this.#dependencies;
    const { body, items, previousId } = message;
    const arrived = this.#arrived();
    const progress = new CallProgress(arrived);
    const end = (): void => {
      if (this.#endWarm !== end) return;
      held.release();
      progress.markEnded();
      this.#last.end();
      this.#endWarm = undefined;
      this.#isWarmAnswered = false;
      this.#goOn();
    };
    const refuse = (error: unknown): void => {
      // The caller would take an error behind the answer for the answer to its next message.
      if (this.#isWarmAnswered) this.messages.cut();
      else this.#reject(error, arrived.requestId);
      end();
    };
    this.#last.begin(items);
    this.#endWarm = end;
    held.finish(refuse);
    const admitted = (): MaybePromise<void> =>
      chainMaybePromise(journey.admit(arrived, progress), () => {
        if (this.#endWarm !== end) return;
        this.#sendWarmup(body, previousId, (bytes) => held.hold(bytes));
        this.#isWarmAnswered = true;
        this.messages.whenSent(end);
      });
    runMaybePromiseReportingErrors(admitted, (error) => {
      if (!(error instanceof ApiError)) observe(arrived.requestId, arrived.address).failed(error);
      if (this.#endWarm === end) refuse(error);
    });
  }

  #sendWarmup(body: Buffer, previousId: string | undefined, hold: MemoryReserver): void {
    const now = this.#dependencies.pipeline.clock.now();
    const { id, events } = createWebSocketWarmupResponse(body, now, hold);
    // They repeat members of the body, and count until they are read.
    hold(events.reduce((sum, { length }) => sum + length, 0));
    this.messages.sendAll(events);
    this.#last.remember(id, previousId, {});
  }

  /** Remembers nothing of an event that cannot be parsed, held or written again: its caller has it. */
  #remember(isStored: boolean, previousId: string | undefined, data: Buffer): void {
    this.#last.forget();
    const parsing = this.#dependencies.pipeline.bodies.allocate(this.#holder);
    try {
      const needed = estimateParsedBodyMemory(data);
      if (needed === undefined) return;
      parsing.add(needed);
      const response = asObject(parseJsonObjectOrEmpty(data.toString())["response"]) ?? {};
      const id = asString(response["id"]);
      if (id === undefined || (isStored && response["store"] !== false)) return;
      this.#last.remember(id, previousId, response);
    } catch {
      this.#last.forget();
    } finally {
      parsing.release();
    }
  }

  /** As the request for the connection came, but for what was about the connection alone. */
  #arrived(): ReceivedModelCall {
    const { address, query, headers } = this.#request;
    return {
      requestId: newResourceId("req"),
      address,
      surface: responsesDialectOperation,
      query,
      headers,
      startedAt: performance.now(),
    };
  }

  #reject(error: unknown, requestId: string = newResourceId("req")): void {
    if (!this.messages.canRefuse()) return;
    this.messages.sendAll([Buffer.from(this.#errorMessage(error, requestId))]);
  }

  #errorMessage(error: unknown, requestId: string): string {
    const failure = toCallFailure(error);
    const docUrl = this.#dependencies.pipeline.docUrl(failure.catalogueCode);
    const body = responsesDialectOperation.serializeError({ ...failure, docUrl, requestId });
    const { retryAfter } = failure;
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    return webSocketErrorFromBody(failure.status, body, headers);
  }

  /** What came meanwhile is refused where the connection ends: its caller sends it on another one. */
  #goOn(): void {
    const next = this.#next;
    this.#next = undefined;
    if (this.#ending !== undefined) {
      next?.held.release();
      this.messages.end(this.#ending);
    } else if (next !== undefined) this.#take(next.data, false, next.held);
  }
}

function callUnderWay(): ApiError {
  return new ApiError(
    "conflict",
    "A response is under way on this connection; wait for its end, or open another connection.",
  );
}
