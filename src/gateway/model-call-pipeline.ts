import { ApiError } from "../platform/errors.ts";
import { toUnavailableErrorFromDriver } from "../platform/database/database-unavailable.ts";
import { createAccountBodyMemoryOwner } from "../platform/body-holder.ts";
import {
  type RequestBodyMemoryBudget,
  type HeldRequestBody,
} from "../platform/body-memory-budget.ts";
import type { MemoryReleaser } from "../platform/hold-memory.ts";
import {
  runMaybePromiseReportingErrors,
  chainMaybePromise,
  type MaybePromise,
} from "../platform/maybe-promise.ts";
import { CallerResponse, type CallerResponseDependencies } from "./call/caller-response.ts";
import type { CallResponseWritable, InboundCallRequest } from "./call/caller-connection.ts";
import type { CallOutcome } from "./call/call-outcome.ts";
import { toCallFailure } from "./call/call-failure.ts";
import { recordCallLogEntry, type CallLoggingDependencies } from "./call/log-call.ts";
import { CallProgress } from "./call/call-progress.ts";
import { buildCallTelemetry, type CallTelemetryRecord } from "./call/call-telemetry.ts";
import { TargetSequence, type TargetSequenceDependencies } from "./call/target-sequence.ts";
import type {
  HeaderAdmittedCall,
  CallWithBufferedBody,
  ReceivedModelCall,
} from "./call/model-call.ts";
import { collectCallRequestBody } from "./call/read-body.ts";
import { parseBufferedCall } from "./call/read-call.ts";
import type { ReservedAttempt } from "./call/reserve-attempt.ts";
import { settleCallReservation } from "./call/settle-call.ts";
import { computeFinalCallTokenUsage } from "./call/used-tokens.ts";
import { UpstreamCall, type UpstreamCallDependencies } from "./upstream/upstream-exchange.ts";
import type { PlannedCall } from "./routing/plan-call.ts";
import { planCallOrSuggestModels } from "./routing/plan-served-call.ts";
import { AgentCall } from "./agent/agent-call.ts";
import type { AgentTurnStartDependencies } from "./agent/agent-dependencies.ts";
import { isCallToAgent } from "./agent/is-agent-call.ts";
import { BackgroundCall, shouldRunAsBackgroundTurn } from "./turn/background-call.ts";
import { resolveCall, type ResolvedCall } from "./routing/resolve-call.ts";

/** Everything that calls are served with. */
export interface ModelCallPipelineDependencies
  extends
    CallerResponseDependencies,
    TargetSequenceDependencies,
    UpstreamCallDependencies,
    CallLoggingDependencies,
    AgentTurnStartDependencies {
  /** Lets a call in, or throws why not. */
  readonly admit: (
    arrived: ReceivedModelCall,
    progress: CallProgress,
  ) => MaybePromise<HeaderAdmittedCall>;
  readonly maxBodyBytes: number;
  readonly bodies: RequestBodyMemoryBudget;
}

/** Who hears what becomes of one call. */
export interface CallEndObserver {
  /** Id of the request, as its answer's `x-request-id` shows it. */
  readonly requestId: string;
  /** Address of the caller. */
  readonly address: string;
  /** `performance.now()` when it came. */
  readonly startedAt: number;
  /** Called once when the call has ended, also when it was refused. */
  ended(record: CallTelemetryRecord): void;
  /** An error that is no refusal: a fault of ours. */
  failed(error: unknown): void;
}

/**
 * The whole way of a model call, in the order in which it is gone: admitted by its
 * headers, read, resolved to what its model names, planned, prepared, paid for, dialled
 * and answered; and settled, however it ends. Each step is told what those before it
 * found out and gives that on with what it adds; what it refuses, it throws. A step that
 * has all it needs in memory is done at once: a warm call awaits nothing but its body.
 */
export class ModelCallPipeline {
  readonly #dependencies: ModelCallPipelineDependencies;
  readonly #observer: CallEndObserver;
  readonly #received: ReceivedModelCall;
  readonly #request: InboundCallRequest;
  readonly #response: CallResponseWritable;
  readonly #progress: CallProgress;
  readonly #answer: CallerResponse;
  #bodyAllocation: HeldRequestBody | undefined;
  #routes: TargetSequence | undefined;
  #exchange: UpstreamCall | undefined;
  #turn: BackgroundCall | AgentCall | undefined;
  #isClosed = false;

  constructor(
    dependencies: ModelCallPipelineDependencies,
    observer: CallEndObserver,
    arrived: ReceivedModelCall,
    request: InboundCallRequest,
    response: CallResponseWritable,
  ) {
    this.#dependencies = dependencies;
    this.#observer = observer;
    this.#received = arrived;
    this.#request = request;
    this.#response = response;
    this.#progress = new CallProgress(arrived);
    this.#answer = new CallerResponse(dependencies, this.#progress, response);
  }

  /** Goes as far as it can at once; whatever goes wrong is answered. */
  start(): void {
    // Before whoever writes the log line of the request, which tells how the call ended.
    this.#response.prependListener("close", () => this.#close());
    this.#bodyAllocation = this.#request.held;
    this.#bodyAllocation?.finish((reason) => this.#giveWay(reason));
    this.#try(() => this.#admit());
  }

  #admit(): MaybePromise<void> {
    const admitted = this.#dependencies.admit(this.#received, this.#progress);
    return chainMaybePromise(admitted, (call) => this.#read(call));
  }

  #read(admitted: HeaderAdmittedCall): void {
    if (this.#isClosed || this.#answer.isOver) return;
    const { bodies, maxBodyBytes } = this.#dependencies;
    const holder = createAccountBodyMemoryOwner(admitted.key.principal.accountId);
    // A body that has arrived is read at once, and counted again.
    this.#bodyAllocation?.release();
    const held = bodies.allocate(holder, this.#response);
    this.#bodyAllocation = held;
    // Made here: a closure of the callback would keep its bytes until the call ends.
    const hold = (more: number): MemoryReleaser => held.hold(more);
    const giveWay = (reason: ApiError): void => this.#giveWay(reason);
    collectCallRequestBody(this.#request, maxBodyBytes, held, (refusal, bytes) => {
      if (bytes === undefined) {
        this.#reject(refusal);
        return;
      }
      if (this.#isClosed) return;
      held.finish(giveWay);
      this.#try(() => this.#serve({ ...admitted, hold }, bytes));
    });
  }

  /** The call ends because others need the memory of its body. */
  #giveWay(reason: ApiError): void {
    if (this.#isClosed) return;
    if (this.#exchange === undefined) this.#reject(reason);
    else this.#exchange.fail(toCallFailure(reason));
    this.#turn?.stop();
  }

  #serve(arrived: CallWithBufferedBody, bytes: Buffer): MaybePromise<void> {
    const { directories, transcoding } = this.#dependencies;
    const read = parseBufferedCall(transcoding.summaries, arrived, bytes, this.#progress);
    const resolved = resolveCall(directories, read);
    return chainMaybePromise(resolved, (step) =>
      isCallToAgent(step) ? this.#askAgent(step) : this.#plan(step),
    );
  }

  #plan(resolved: ResolvedCall): MaybePromise<void> {
    const { routing, usableModels } = this.#dependencies;
    const planned = planCallOrSuggestModels(routing, usableModels, resolved);
    return chainMaybePromise(planned, (step) =>
      shouldRunAsBackgroundTurn(step) ? this.#background(step) : this.#sendToLane(step),
    );
  }

  /** The agent answers, whether or not its caller waits for that. */
  async #askAgent(resolved: ResolvedCall): Promise<void> {
    if (this.#answer.isOver) return;
    const turn = new AgentCall(this.#dependencies, resolved, this.#progress, this.#answer);
    this.#turn = turn;
    this.#response.on("drain", () => turn.resume());
    await turn.start();
  }

  /** The call runs without its caller, who is told how to ask for the answer. */
  async #background(planned: PlannedCall): Promise<void> {
    if (this.#answer.isOver) return;
    const turn = new BackgroundCall(this.#dependencies, planned, this.#progress, this.#answer);
    this.#turn = turn;
    this.#response.on("drain", () => turn.resume());
    await turn.start();
  }

  /** The first route that can be dialled, paid for. */
  #sendToLane(planned: PlannedCall): MaybePromise<void> {
    const routes = new TargetSequence(this.#dependencies, planned, this.#progress, this.#answer);
    this.#routes = routes;
    return chainMaybePromise(routes.first(), (route) => this.#dial(route, routes));
  }

  /** From here on the exchange answers. */
  #dial(route: ReservedAttempt, routes: TargetSequence): void {
    if (this.#isClosed) {
      this.#settle(this.#end());
      return;
    }
    if (this.#answer.isOver) return;
    const exchange = new UpstreamCall(
      this.#dependencies,
      route,
      routes,
      this.#progress,
      this.#answer,
    );
    this.#exchange = exchange;
    exchange.start();
  }

  /** The connection has closed: the call has ended, whatever became of it. */
  #close(): void {
    this.#isClosed = true;
    // Before all that could throw: a place that is not given back is lost.
    this.#progress.markEnded();
    this.#bodyAllocation?.release();
    this.#exchange?.stop();
    this.#turn?.stop();
    this.#answer.close();
    this.#routes?.end();
    const end = this.#end();
    const record = buildCallTelemetry(end);
    this.#observer.ended(record);
    recordCallLogEntry(this.#dependencies, end, record);
    this.#settle(end);
  }

  #end(): CallOutcome {
    const { call, skipped } = this.#progress;
    const paid = { attempts: this.#exchange?.trace, reservation: this.#routes?.reservation };
    const used = computeFinalCallTokenUsage(this.#answer, call, paid);
    return { call, response: this.#answer, used, skipped, ...paid };
  }

  #settle(end: CallOutcome): void {
    runMaybePromiseReportingErrors(
      () => settleCallReservation(end),
      (error) => this.#observer.failed(error),
    );
  }

  /** Whatever is thrown on the way is answered. */
  #try(work: () => MaybePromise<void>): void {
    runMaybePromiseReportingErrors(work, (error) => this.#reject(error));
  }

  /** Answers with a refusal, or with 500 for an error that is none; 503 while the database fails. */
  #reject(reason: unknown): void {
    this.#bodyAllocation?.release();
    if (this.#isClosed) return;
    const error = toUnavailableErrorFromDriver(reason) ?? reason;
    if (!(error instanceof ApiError)) this.#observer.failed(error);
    this.#answer.fail(toCallFailure(error));
  }
}
