import { ApiError } from "../platform/errors.ts";
import { accountHolder } from "../platform/body-holder.ts";
import { type HeldBodies, type HeldBody } from "../platform/held-bodies.ts";
import { tryWarm, whenWarm, type Warm } from "../platform/warm.ts";
import { Answer, type AnswerDependencies } from "./call/answer.ts";
import type { CallerConnection, CallSource } from "./call/caller-connection.ts";
import type { CallEnd } from "./call/call-end.ts";
import { failureOf } from "./call/call-failure.ts";
import { keepCall, type CallKeeping } from "./call/keep-call.ts";
import { CallProgress } from "./call/call-progress.ts";
import { recordCall, type CallRecord } from "./call/call-record.ts";
import { CallRoutes, type RouteDependencies } from "./call/call-routes.ts";
import type { AdmittedCall, ArrivedCall } from "./call/model-call.ts";
import { readBody } from "./call/read-body.ts";
import { readCall } from "./call/read-call.ts";
import type { ReservedRoute } from "./call/reserve-route.ts";
import { settleCall } from "./call/settle-call.ts";
import { usedAtEnd } from "./call/used-tokens.ts";
import { UpstreamExchange, type ExchangeDependencies } from "./dial/upstream-exchange.ts";
import type { PlannedCall } from "./routing/plan-call.ts";
import { planServedCall } from "./routing/plan-served-call.ts";
import { AgentCall } from "./agent/agent-call.ts";
import type { AgentStart } from "./agent/agent-dependencies.ts";
import { reachesAgent } from "./agent/reaches-agent.ts";
import { BackgroundCall, runsAsTurn } from "./turn/background-call.ts";
import { resolveCall, type ResolvedCall } from "./routing/resolve-call.ts";

/** Everything that calls are served with. */
export interface JourneyDependencies
  extends AnswerDependencies, RouteDependencies, ExchangeDependencies, CallKeeping, AgentStart {
  /** Lets a call in, or throws why not. */
  readonly admit: (arrived: ArrivedCall, progress: CallProgress) => Warm<AdmittedCall>;
  readonly maxBodyBytes: number;
  readonly bodies: HeldBodies;
}

/** Who hears what becomes of one call. */
export interface CallObserver {
  /** Id of the request, as its answer's `x-request-id` shows it. */
  readonly requestId: string;
  /** Address of the caller. */
  readonly address: string;
  /** `performance.now()` when it came. */
  readonly startedAt: number;
  /** Called once when the call has ended, also when it was refused. */
  ended(record: CallRecord): void;
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
export class CallJourney {
  readonly #dependencies: JourneyDependencies;
  readonly #observer: CallObserver;
  readonly #arrived: ArrivedCall;
  readonly #request: CallSource;
  readonly #response: CallerConnection;
  readonly #progress: CallProgress;
  readonly #answer: Answer;
  #held: HeldBody | undefined;
  #routes: CallRoutes | undefined;
  #exchange: UpstreamExchange | undefined;
  #turn: BackgroundCall | AgentCall | undefined;
  #isClosed = false;

  constructor(
    dependencies: JourneyDependencies,
    observer: CallObserver,
    arrived: ArrivedCall,
    request: CallSource,
    response: CallerConnection,
  ) {
    this.#dependencies = dependencies;
    this.#observer = observer;
    this.#arrived = arrived;
    this.#request = request;
    this.#response = response;
    this.#progress = new CallProgress(arrived);
    this.#answer = new Answer(dependencies, this.#progress, response);
  }

  /** Goes as far as it can at once; whatever goes wrong is answered. */
  start(): void {
    // Before whoever writes the log line of the request, which tells how the call ended.
    this.#response.prependListener("close", () => this.#close());
    this.#try(() => this.#admit());
  }

  #admit(): Warm<void> {
    const admitted = this.#dependencies.admit(this.#arrived, this.#progress);
    return whenWarm(admitted, (call) => this.#read(call));
  }

  #read(admitted: AdmittedCall): void {
    if (this.#isClosed) return;
    const { bodies, maxBodyBytes } = this.#dependencies;
    const holder = accountHolder(admitted.key.principal.accountId);
    const held = bodies.open(holder, this.#response);
    this.#held = held;
    readBody(this.#request, maxBodyBytes, held, (refusal, bytes) => {
      if (bytes === undefined) {
        this.#refuse(refusal);
        return;
      }
      held.finish((reason) => this.#giveWay(reason));
      this.#try(() => this.#serve(admitted, bytes));
    });
  }

  /** The call ends because others need the memory of its body. */
  #giveWay(reason: ApiError): void {
    if (this.#isClosed) return;
    if (this.#exchange === undefined) this.#refuse(reason);
    else this.#exchange.fail(failureOf(reason));
    this.#turn?.stop();
  }

  #serve(admitted: AdmittedCall, bytes: Buffer): Warm<void> {
    const { directories, transcoding } = this.#dependencies;
    const read = readCall(transcoding.summaries, admitted, bytes, this.#progress);
    const resolved = resolveCall(directories, read);
    return whenWarm(resolved, (step) =>
      reachesAgent(step) ? this.#askAgent(step) : this.#plan(step),
    );
  }

  #plan(resolved: ResolvedCall): Warm<void> {
    const { routing, usableModels } = this.#dependencies;
    const planned = planServedCall(routing, usableModels, resolved);
    return whenWarm(planned, (step) =>
      runsAsTurn(step) ? this.#background(step) : this.#take(step),
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
  #take(planned: PlannedCall): Warm<void> {
    const routes = new CallRoutes(this.#dependencies, planned, this.#progress, this.#answer);
    this.#routes = routes;
    return whenWarm(routes.first(), (route) => this.#dial(route, routes));
  }

  /** From here on the exchange answers. */
  #dial(route: ReservedRoute, routes: CallRoutes): void {
    if (this.#isClosed) {
      this.#settle(this.#end());
      return;
    }
    if (this.#answer.isOver) return;
    const exchange = new UpstreamExchange(
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
    this.#progress.leave();
    this.#held?.release();
    this.#exchange?.stop();
    this.#turn?.stop();
    this.#answer.close();
    this.#routes?.end();
    const end = this.#end();
    const record = recordCall(end);
    this.#observer.ended(record);
    keepCall(this.#dependencies, end, record);
    this.#settle(end);
  }

  #end(): CallEnd {
    const { call, skipped } = this.#progress;
    const [dials, bill] = [this.#exchange?.trace, this.#routes?.bill];
    const used = usedAtEnd(this.#answer, call, bill);
    return { call, answer: this.#answer, used, skipped, dials, bill };
  }

  #settle(end: CallEnd): void {
    tryWarm(
      () => settleCall(end),
      (error) => this.#observer.failed(error),
    );
  }

  /** Whatever is thrown on the way is answered. */
  #try(work: () => Warm<void>): void {
    tryWarm(work, (error) => this.#refuse(error));
  }

  /** Answers with a refusal, or with 500 for an error that is none. */
  #refuse(error: unknown): void {
    this.#held?.release();
    if (this.#isClosed) return;
    if (!(error instanceof ApiError)) this.#observer.failed(error);
    this.#answer.fail(failureOf(error));
  }
}
