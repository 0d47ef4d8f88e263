import type { AnswerContext } from "../../dialect/codec.ts";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { StartedTurn } from "../../kernel/durable-turn.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Answer } from "../call/answer.ts";
import type { CallProgress } from "../call/call-progress.ts";
import { allowsModel } from "../routing/allows-model.ts";
import { notAllowed } from "../routing/plan.ts";
import type { ResolvedCall } from "../routing/resolve-call.ts";
import { parseBody } from "../transcode/prepare-transcode.ts";
import type { AgentStart } from "./agent-dependencies.ts";
import { TurnListener } from "../turn/turn-listener.ts";
import { agentStages } from "./agent-stages.ts";
import type { AgentRequest } from "./agent-request.ts";
import { findPlace } from "./find-place.ts";
import { readGivenAnswers, type BegunTurn } from "./given-answers.ts";
import {
  isBackground,
  planAgentTurn,
  readPlacedRequest,
  type PlannedTurn,
} from "./plan-agent-turn.ts";

/** Seconds after which a caller whose thread is busy may come again. */
const comeAgainSeconds = 5;

/** A call that the agent answers: it becomes a turn of a thread, whose events are told as they are kept. */
export class AgentCall {
  readonly #dependencies: AgentStart;
  readonly #resolved: ResolvedCall;
  readonly #progress: CallProgress;
  readonly #answer: Answer;
  readonly #listener: TurnListener;

  constructor(
    dependencies: AgentStart,
    resolved: ResolvedCall,
    progress: CallProgress,
    answer: Answer,
  ) {
    this.#dependencies = dependencies;
    this.#resolved = resolved;
    this.#progress = progress;
    this.#answer = answer;
    this.#listener = new TurnListener(dependencies.durableTurns, answer);
  }

  /** Resolves when all was told; rejects with the refusal of what cannot become a turn. */
  async start(): Promise<void> {
    this.#refuseForbidden();
    const body = parseBody(this.#resolved.body.bytes);
    const asked = await this.#begin(body);
    if (asked === undefined) return;
    const { id, session, plan, losses, queuePosition } = asked;
    const told = { turnId: id, session, plan };
    this.#progress.call = { ...this.#progress.call, isQueued: true, queuePosition, agent: told };
    this.#answer.losses = losses;
    await this.#tell(asked, body);
  }

  /** The caller is gone; the turn goes on, if it has begun. */
  stop(): void {
    this.#listener.leave();
  }

  /** The caller reads again. */
  resume(): void {
    this.#listener.resume();
  }

  #refuseForbidden(): void {
    const { call, model } = this.#resolved;
    const isAgentModel = !("targets" in model) && model.reference.kind === "agent";
    const { model: id } = this.#resolved.body;
    if (isAgentModel && !allowsModel(call.key.allowedModels, id)) throw notAllowed(id);
  }

  /**
   * The turn, stored, or that which the same answers have begun before; undefined: the caller
   * has left before. While another turn of its thread runs it waits for that, and then looks
   * at all of it again.
   */
  async #begin(body: JsonObject): Promise<AskedTurn | undefined> {
    const { agents, durableTurns, transcoding } = this.#dependencies;
    const { call } = this.#resolved;
    const { accountId } = call.key.principal;
    const limit = AbortSignal.timeout(agents.waitMs);
    const signal = AbortSignal.any([this.#listener.gone, limit]);
    const sources = { ...transcoding, threads: agents.threads };
    const previousId = asString(body["previous_response_id"]);
    while (!signal.aborted) {
      const place = await findPlace(sources, call, body);
      const asking = { resolved: this.#resolved, body };
      const request = await readPlacedRequest(this.#dependencies, { ...asking, place });
      const answering = { accountId, previousId, place, request };
      const given = await readGivenAnswers(durableTurns, answering);
      if (given.begun !== undefined) return this.#join(given.begun, request);
      if ("running" in place) {
        await durableTurns.whenEnded(accountId, place.running, signal);
        continue;
      }
      const planning = { ...asking, place, request, given, answer: this.#answer };
      const planned = await planAgentTurn(this.#dependencies, planning);
      if (this.#listener.gone.aborted) return undefined;
      const started = await durableTurns.start(planned.turn);
      if (started !== undefined) return askedTurn(planned, started);
    }
    if (this.#listener.gone.aborted) return undefined;
    throw busy(agents.waitMs);
  }

  /** The caller hears of a turn that runs, or has ended, as if it had begun it. */
  async #join({ id, seen }: BegunTurn, request: AgentRequest): Promise<AskedTurn> {
    const { accountId } = this.#resolved.call.key.principal;
    const thread = await this.#dependencies.agents.threads.ofTurn(accountId, id);
    if (thread === undefined) throw deleted();
    const { response, queuePosition } = seen;
    const { losses } = request;
    const { session } = thread;
    return { id, session, response, request, plan: undefined, losses, queuePosition };
  }

  async #tell(asked: AskedTurn, body: JsonObject): Promise<void> {
    const { call } = this.#resolved;
    const isOwnDialect = call.surface.dialect === "dialect_responses";
    if (isOwnDialect && !call.isStream && isBackground(call, body)) {
      return this.#send(asked.response);
    }
    if (isOwnDialect && !call.isStream) return this.#tellWhole(asked);
    const stage = isOwnDialect ? this.#answer : agentStages(this.#answering(asked));
    if (call.isStream) this.#answer.beginStream();
    await this.#listener.hear(asked.id, stage);
  }

  #answering({ id, request }: AskedTurn) {
    const { surface, isStream } = this.#resolved.call;
    const { dialect } = surface;
    return {
      answer: this.#answer,
      dialect,
      isStream,
      request,
      context: this.#context(id, request),
    };
  }

  #context(id: string, { turn }: AgentRequest): AnswerContext {
    const { clock, transcoding } = this.#dependencies;
    const { estimatedInput } = this.#resolved.call;
    let completed: number | undefined;
    const seconds = (): number => Math.floor(clock.now() / 1000);
    return {
      turn,
      id: id.slice("turn_".length),
      created: seconds(),
      completed: () => (completed ??= seconds()),
      // The thread has what was thought: what a caller carries is for its client's eyes.
      envelope: transcoding.envelopeOf("agent", turn.model),
      estimatedInput,
      echo: { store: true, previousResponseId: undefined },
    };
  }

  async #tellWhole({ id }: AskedTurn): Promise<void> {
    const { durableTurns } = this.#dependencies;
    const { accountId } = this.#resolved.call.key.principal;
    const { gone } = this.#listener;
    await durableTurns.whenEnded(accountId, id, gone);
    if (gone.aborted) return;
    const seen = await durableTurns.find(accountId, id);
    if (seen === undefined) throw deleted();
    this.#send(seen.response);
  }

  #send(response: JsonObject): void {
    const text = Buffer.from(JSON.stringify(response));
    this.#answer.send(200, "application/json; charset=utf-8", [text], text.length);
  }
}

/** A turn whose caller is to hear of it. */
interface AskedTurn extends Pick<PlannedTurn, "request" | "plan" | "losses"> {
  readonly id: string;
  readonly session: string;
  /** The response object as it stands. */
  readonly response: JsonObject;
  /** Undefined: it does not wait. */
  readonly queuePosition: number | undefined;
}

function askedTurn(
  { turn, request, plan, losses }: PlannedTurn,
  { queuePosition }: StartedTurn,
): AskedTurn {
  const { id, agent, response } = turn;
  return { id, session: agent.session, response, request, plan, losses, queuePosition };
}

function deleted(): ApiError {
  return new ApiError("not_found", "The turn was deleted while it ran.");
}

function busy(waitedMs: number): ApiError {
  const seconds = Math.round(waitedMs / 1000);
  return new ApiError(
    "rate_limited",
    `Another turn of this thread runs, and has not ended within ${seconds} s: wait for it, cancel it, or begin another thread.`,
    { retryAfterSeconds: comeAgainSeconds },
  );
}
