import type { ResponseEncodingContext } from "../../dialect/codec.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { ThreadWithRunningTurn } from "../../domain/agent-thread.ts";
import type { StoredTurnQueuePosition } from "../../domain/durable-turn.ts";
import type { MemoryAndAbortContext } from "../../platform/database/counted-loader.ts";
import { ApiError } from "../../platform/errors.ts";
import { reserveIfPossible } from "../../platform/hold-memory.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { CallProgress } from "../call/call-progress.ts";
import { isModelAllowed } from "../routing/allows-model.ts";
import { modelNotAllowedError } from "../routing/plan.ts";
import type { ResolvedCall } from "../routing/resolve-call.ts";
import { parseCallBody } from "../call/parse-call-body.ts";
import type { AgentTurnStartDependencies } from "./agent-dependencies.ts";
import { TurnSubscriber } from "../turn/turn-subscriber.ts";
import { createAgentResponseStage } from "./agent-stages.ts";
import type { NormalizedAgentRequest } from "./agent-request.ts";
import { locateThreadContinuationPoint, type ThreadResumePoint } from "./locate-thread.ts";
import { resolveCallerToolReplies, type TurnStartedBySameToolReplies } from "./given-answers.ts";
import type { BusyThreadWaiter } from "./thread-lines.ts";
import {
  wantsBackgroundTurn,
  prepareAgentTurn,
  readAgentRequestInThread,
  type PreparedAgentTurn,
} from "./plan-agent-turn.ts";

/** Seconds after which a caller whose thread is busy may come again. */
const busyRetrySeconds = 5;

/** A call that the agent answers: it becomes a turn of a thread, whose events are told as they are kept. */
export class AgentCall {
  readonly #dependencies: AgentTurnStartDependencies;
  readonly #resolved: ResolvedCall;
  readonly #progress: CallProgress;
  readonly #response: CallerResponse;
  readonly #listener: TurnSubscriber;
  /** Among the callers that wait for the same thread; undefined: it waits for none. */
  #line: BusyThreadWaiter | undefined;

  constructor(
    dependencies: AgentTurnStartDependencies,
    resolved: ResolvedCall,
    progress: CallProgress,
    answer: CallerResponse,
  ) {
    this.#dependencies = dependencies;
    this.#resolved = resolved;
    this.#progress = progress;
    this.#response = answer;
    this.#listener = new TurnSubscriber(dependencies.durableTurns, answer);
  }

  /** Resolves when all was told; rejects with the refusal of what cannot become a turn. */
  async start(): Promise<void> {
    this.#rejectForbidden();
    const body = parseCallBody(this.#resolved.body.bytes, this.#resolved.call.hold);
    const asked = await this.#begin(body).finally(() => this.#line?.leave());
    if (asked === undefined) return;
    const { id, session, plan, warnings: losses, queuePosition } = asked;
    const told = { turnId: id, session, plan };
    this.#progress.call = { ...this.#progress.call, isQueued: true, queuePosition, agent: told };
    this.#response.warnings = losses;
    await this.#sendTurn(asked, body);
  }

  /** The caller is gone; the turn goes on, if it has begun. */
  stop(): void {
    this.#listener.unsubscribe();
  }

  /** The caller reads again. */
  resume(): void {
    this.#listener.resume();
  }

  #rejectForbidden(): void {
    const { call, model } = this.#resolved;
    const isAgentModel = !("targets" in model) && model.reference.kind === "agent";
    const { model: id } = this.#resolved.body;
    if (isAgentModel && !isModelAllowed(call.key.allowedModels, id)) throw modelNotAllowedError(id);
  }

  /**
   * The turn, stored, or that which the same answers have begun before; undefined: the caller
   * has left before. While another turn of its thread runs it waits for that, in line with the
   * other callers of the thread, and then looks at all of it again.
   */
  async #begin(body: JsonObject): Promise<AskedTurn | undefined> {
    const { agents, durableTurns } = this.#dependencies;
    const { accountId } = this.#resolved.call.key.principal;
    const limit = AbortSignal.timeout(agents.waitMs);
    const signal = AbortSignal.any([this.#listener.disconnected, limit]);
    while (!signal.aborted) {
      const attempt = await agents.starts.run(accountId, () => this.#tryToBegin(body));
      if (attempt === undefined || "turn" in attempt) return attempt?.turn;
      const { threadId, running } = attempt;
      if (threadId !== undefined) await this.#standInLine(threadId, signal);
      if (running !== undefined) await durableTurns.waitUntilEnded(accountId, running, signal);
    }
    if (this.#listener.disconnected.aborted) return undefined;
    throw busy(agents.waitMs);
  }

  /** Returns undefined after the caller left. It must not wait for other turns: an account has few places. */
  async #tryToBegin(body: JsonObject): Promise<StartAttempt | undefined> {
    if (this.#listener.disconnected.aborted) return undefined;
    const { agents, durableTurns, transcoding } = this.#dependencies;
    const { call } = this.#resolved;
    const { accountId } = call.key.principal;
    const sources = { ...transcoding, threads: agents.threads };
    const previousId = asString(body["previous_response_id"]);
    const place = await locateThreadContinuationPoint(sources, call, body);
    const asking = { resolved: this.#resolved, body };
    const request = await readAgentRequestInThread(this.#dependencies, { ...asking, place });
    const answering = { accountId, previousId, place, request, load: this.#load };
    const given = await resolveCallerToolReplies(durableTurns, answering);
    if (given.begun !== undefined) return { turn: await this.#join(given.begun, request) };
    if ("running" in place) return { threadId: place.threadId, running: place.running };
    if (this.#mustStandInLine(place)) return { threadId: place.thread.id, running: undefined };
    const planning = { ...asking, place, request, given, response: this.#response };
    const planned = await prepareAgentTurn(this.#dependencies, planning);
    if (this.#listener.disconnected.aborted) return undefined;
    const started = await durableTurns.start(planned.turn);
    if (started === undefined) return { threadId: undefined, running: undefined };
    return { turn: askedTurn(planned, started) };
  }

  /** The thread is free, but others have waited for that: they go on first. */
  #mustStandInLine(
    place: ThreadResumePoint,
  ): place is ThreadResumePoint & { thread: ThreadWithRunningTurn } {
    const { lines } = this.#dependencies.agents;
    return (
      this.#line === undefined && place.thread !== undefined && lines.hasCallers(place.thread.id)
    );
  }

  /** Resolves when the caller is the first of its line. Throws 429 or 503 where its account holds too much to wait. */
  async #standInLine(threadId: string, signal: AbortSignal): Promise<void> {
    if (this.#line === undefined) {
      const { call, body } = this.#resolved;
      // Its texts are in memory a second time, parsed, for as long as it waits.
      call.hold?.(body.bytes.length);
      this.#line = this.#dependencies.agents.lines.join(threadId, signal);
    }
    await this.#line.reached;
  }

  /**
   * The caller hears of a turn that runs, or has ended, as if it had begun it. It takes a place
   * among the turn's followers until its connection closes.
   */
  async #join(
    { id, seen }: TurnStartedBySameToolReplies,
    request: NormalizedAgentRequest,
  ): Promise<AskedTurn> {
    const { agents, durableTurns } = this.#dependencies;
    const { accountId } = this.#resolved.call.key.principal;
    durableTurns.reserveFollower(accountId, id, this.#listener.disconnected);
    const thread = await agents.threads.findByTurn(accountId, id);
    if (thread === undefined) throw deleted();
    const { response, queuePosition } = seen;
    const { warnings: losses } = request;
    const { session } = thread;
    const asked = { id, session, response, request, plan: undefined, warnings: losses };
    return { ...asked, queuePosition, isStarter: false };
  }

  async #sendTurn(asked: AskedTurn, body: JsonObject): Promise<void> {
    const { call } = this.#resolved;
    const isOwnDialect = call.surface.dialect === "dialect_responses";
    if (isOwnDialect && !call.isStream && wantsBackgroundTurn(call, body)) {
      return this.#send(asked.response);
    }
    if (isOwnDialect && !call.isStream) return this.#sendWhole(asked);
    const stage = isOwnDialect ? this.#response : createAgentResponseStage(this.#answering(asked));
    if (call.isStream) this.#response.beginStream();
    await this.#listener.subscribe({
      accountId: call.key.principal.accountId,
      id: asked.id,
      isStarter: asked.isStarter,
      wantsWholeEvents: !isOwnDialect,
      stage,
      hold: call.hold,
    });
  }

  #answering({ id, request, isStarter }: AskedTurn) {
    const { surface, isStream, hold } = this.#resolved.call;
    const { dialect } = surface;
    return {
      response: this.#response,
      dialect,
      isStream,
      request,
      context: this.#context(id, request),
      hold: isStarter ? reserveIfPossible(hold) : hold,
    };
  }

  #context(id: string, { neutralRequest }: NormalizedAgentRequest): ResponseEncodingContext {
    const { clock, transcoding } = this.#dependencies;
    const { estimatedInput } = this.#resolved.call;
    let completed: number | undefined;
    const seconds = (): number => Math.floor(clock.now() / 1000);
    return {
      request: neutralRequest,
      id: id.slice("turn_".length),
      created: seconds(),
      completed: () => (completed ??= seconds()),
      // The thread has what was thought: what a caller carries is for its client's eyes.
      envelope: transcoding.envelopeOf("agent", neutralRequest.model),
      estimatedInput,
      echo: { store: true, previousResponseId: undefined },
    };
  }

  async #sendWhole({ id }: AskedTurn): Promise<void> {
    const { durableTurns } = this.#dependencies;
    const { accountId } = this.#resolved.call.key.principal;
    const { disconnected: gone } = this.#listener;
    await durableTurns.waitUntilEnded(accountId, id, gone);
    if (gone.aborted) return;
    const seen = await durableTurns.findResponse(accountId, id, this.#load);
    if (seen === undefined) throw deleted();
    this.#send(seen.response);
  }

  get #load(): MemoryAndAbortContext {
    const { hold } = this.#resolved.call;
    return { hold, signal: this.#listener.disconnected };
  }

  #send(response: JsonObject): void {
    const text = Buffer.from(JSON.stringify(response));
    this.#response.send(200, "application/json; charset=utf-8", text);
  }
}

/** A turn that began, or what to wait for before the next attempt. */
type StartAttempt =
  | { readonly turn: AskedTurn }
  | {
      /** The thread whose line to join. Without one, another turn came first. */
      readonly threadId: string | undefined;
      /** The turn of that thread to wait for. */
      readonly running: string | undefined;
    };

/** A turn whose caller is to hear of it. */
interface AskedTurn extends Pick<PreparedAgentTurn, "request" | "plan" | "warnings"> {
  readonly id: string;
  readonly session: string;
  /** The call began the turn, and did not join it. */
  readonly isStarter: boolean;
  /** The response object as it stands. */
  readonly response: JsonObject;
  /** Undefined: it does not wait. */
  readonly queuePosition: number | undefined;
}

function askedTurn(
  { turn, request, plan, warnings }: PreparedAgentTurn,
  { queuePosition }: StoredTurnQueuePosition,
): AskedTurn {
  const { id, agent, response } = turn;
  const asked = { id, session: agent.session, response, request, plan, warnings };
  return { ...asked, queuePosition, isStarter: true };
}

function deleted(): ApiError {
  return new ApiError("not_found", "The turn was deleted while it ran.");
}

function busy(waitedMs: number): ApiError {
  const seconds = Math.round(waitedMs / 1000);
  return new ApiError(
    "rate_limited",
    `Another turn of this thread runs, and has not ended within ${seconds} s: wait for it, cancel it, or begin another thread.`,
    { retryAfterSeconds: busyRetrySeconds },
  );
}
