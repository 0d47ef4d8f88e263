import { once } from "node:events";
import { Readable } from "node:stream";
import type { EntityManager } from "@mikro-orm/postgresql";
import { responsesSurface } from "../../dialect/responses/index.ts";
import { tagsOfCall } from "../../kernel/call-tags.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type {
  CallIntent,
  TurnCall,
  TurnCallEnd,
  TurnCaller,
  TurnCallUse,
} from "../../kernel/durable-turn.ts";
import { ApiError } from "../../platform/errors.ts";
import type { RequestLimit } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestLimiter } from "../../platform/rate-limit/request-limiter.ts";
import { readControlHeaders } from "../admission/control-headers.ts";
import type { CallSource } from "../call/caller-connection.ts";
import type { AdmittedCall, ArrivedCall } from "../call/model-call.ts";
import type { ReservedRoute } from "../call/reserve-route.ts";
import { estimatedTokens } from "../call/text-length.ts";
import { CallJourney, type CallObserver, type JourneyDependencies } from "../call-journey.ts";
import { isPassing } from "../dial/retry-rules.ts";
import type { LiveKeys } from "../ports.ts";
import { resolveModel } from "../routing/resolve-model.ts";
import { lostCall } from "./lost-call.ts";
import { TurnBooks, useOf, type TurnBookDependencies } from "./turn-books.ts";
import { TurnConnection } from "./turn-connection.ts";

/** What model calls of turns are made with. */
export interface TurnCallDependencies {
  /** As those of other calls are. */
  readonly journey: JourneyDependencies;
  readonly books: TurnBookDependencies;
  readonly authenticator: LiveKeys;
  readonly buckets: RequestLimiter;
  readonly defaultLimit: RequestLimit;
  /** Who hears what becomes of a call. */
  readonly observe: (requestId: string, address: string) => CallObserver;
}

/** Makes the model calls of turns: they go the way of all model calls, and their caller is the turn. */
export class TurnCalls implements TurnCaller {
  readonly #dependencies: TurnCallDependencies;

  constructor(dependencies: TurnCallDependencies) {
    this.#dependencies = dependencies;
  }

  async prepare(): Promise<void> {
    const { books, journey } = this.#dependencies;
    await books.keeper.prepare(journey.clock.now());
  }

  async call(turn: TurnCall): Promise<TurnCallEnd> {
    const books = new TurnBooks(this.#dependencies.books, turn.turnId, turn.isRepeated);
    const connection = new TurnConnection((event) => turn.push(event));
    const closed = once(connection, "close").catch(() => undefined);
    const drop = (): void => void connection.destroy();
    turn.signal.addEventListener("abort", drop);
    this.#journey(turn, books, connection).start();
    if (turn.signal.aborted) drop();
    await closed;
    turn.signal.removeEventListener("abort", drop);
    return endOf(turn, books, connection);
  }

  async mayGoOn(
    { accountId, keyId }: Pick<TurnCall, "accountId" | "keyId">,
    dialled: Pick<CallIntent, "model" | "route"> | undefined,
  ): Promise<boolean> {
    try {
      await this.#dependencies.authenticator.liveKey(keyId);
      return dialled?.route !== "byo" || (await this.#isLinked(accountId, dialled.model));
    } catch (error) {
      // A database that is away says nothing of the key.
      return !(error instanceof ApiError) || error.status >= 500;
    }
  }

  /** Whether the account still has the endpoint, or the credential, that a canonical id names. */
  async #isLinked(accountId: string, canonicalId: string): Promise<boolean> {
    const { directories } = this.#dependencies.journey;
    const resolved = await resolveModel(directories, accountId, canonicalId);
    return "owned" in resolved && resolved.owned.length > 0;
  }

  async settleLost(
    em: EntityManager,
    turn: { readonly id: string; readonly accountId: string; readonly keyId: string },
    intent: CallIntent,
    told: number,
  ): Promise<TurnCallUse> {
    const { ledger, keeper } = this.#dependencies.books;
    const { clock } = this.#dependencies.journey;
    const used = {
      input: intent.promptTokens,
      cacheRead: 0,
      cacheWrite: 0,
      output: estimatedTokens(told),
      isEstimated: true,
      raw: undefined,
    };
    if (intent.reservation !== undefined) await ledger.settleLost(em, intent.reservation, used);
    await keeper.write(em, lostCall(turn, intent, used, clock.now()));
    return useOf(used, intent.reservation?.price);
  }

  #journey(turn: TurnCall, books: TurnBooks, connection: TurnConnection): CallJourney {
    const { journey, observe } = this.#dependencies;
    const { requestId, address, headers, body } = turn.request;
    const observer = observe(requestId, address);
    const arrived: ArrivedCall = {
      requestId,
      address,
      surface: responsesSurface,
      query: "",
      headers,
      startedAt: observer.startedAt,
    };
    const dependencies: JourneyDependencies = {
      ...journey,
      admit: (call, progress) => this.#admit(turn, call, (known) => (progress.call = known)),
      ledger: books,
      keeper: books,
      transcoding: { ...journey.transcoding, turns: books.keptTurns() },
      intend: (route) => turn.intend(intentOf(route, journey.clock.now())),
    };
    const source: CallSource = Object.assign(Readable.from([Buffer.from(body)]), { headers: {} });
    return new CallJourney(dependencies, observer, arrived, source, connection);
  }

  /** It took its place when it was asked; what it may is looked at anew. */
  async #admit(
    { keyId, callId, turnId, isAgents }: TurnCall,
    arrived: ArrivedCall,
    known: (call: AdmittedCall) => void,
  ): Promise<AdmittedCall> {
    const { authenticator, buckets, defaultLimit, journey } = this.#dependencies;
    const key: CallerKey = await authenticator.liveKey(keyId);
    const call = {
      ...arrived,
      key,
      callId,
      turnId,
      isAgents,
      controls: readControlHeaders(arrived.headers),
      bucket: buckets.peek(keyId, key.rateLimit ?? defaultLimit),
      bucketAt: journey.clock.now(),
    };
    known(call);
    return call;
  }
}

function endOf(turn: TurnCall, books: TurnBooks, connection: TurnConnection): TurnCallEnd {
  const { terminal, error, statusCode } = connection;
  const isWhole = terminal !== undefined || error !== undefined;
  const broken = { code: "server_error", message: "The model call broke off." };
  return {
    callId: turn.callId,
    terminal,
    error: isWhole ? error : broken,
    // A stream that failed says no status: what breaks in the middle may hold the next time.
    isPassing: statusCode < 400 || isPassing(statusCode),
    used: books.used(),
    commit: (em, response) => books.commit(em, response),
  };
}

function intentOf(
  { call, bill }: ReservedRoute,
  now: number,
): Omit<CallIntent, "toldBefore" | "isRepeated"> {
  const { callId, requestId, estimatedInput, plan, controls, key } = call;
  return {
    callId,
    requestId,
    model: plan.canonicalId,
    route: plan.route,
    lane: plan.lane === "transcode" ? "transcode" : "pass_through",
    tags: tagsOfCall(controls.tags, key.tags),
    promptTokens: bill?.promptTokens ?? estimatedInput,
    startedAt: now,
    reservation: bill?.request,
  };
}
