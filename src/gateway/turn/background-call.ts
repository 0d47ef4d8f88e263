import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "../../dialect/json.ts";
import { responsesDialectOperation } from "../../dialect/responses/index.ts";
import { buildResponsesQueuedResponse } from "../../dialect/responses/queued-response.ts";
import type { DurableTurnService } from "../../domain/durable-turn.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { newResourceId } from "../../platform/ids.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { CallProgress } from "../call/call-progress.ts";
import type { ModelCall } from "../call/model-call.ts";
import { assertCallCanStart } from "../call/dry-run-attempt.ts";
import { scanCallBody, locateNamedMemberSpans } from "../call/read-call-body.ts";
import type { CreditsReservationDependencies } from "../call/reserve-attempt.ts";
import { replaceJsonMembers } from "../call/replace-members.ts";
import {
  findStoredReferences,
  loadReferencedItems,
  resolveInputItems,
} from "../stored-responses/stored-references.ts";
import type { PlannedCall } from "../routing/plan-call.ts";
import { parseCallBody } from "../call/parse-call-body.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import { selectTurnRequestHeaders } from "./stored-headers.ts";
import { TurnSubscriber } from "./turn-subscriber.ts";

/** What calls that run without their callers are begun with. */
export interface BackgroundTurnStartDependencies extends CreditsReservationDependencies {
  readonly durableTurns: DurableTurnService;
  readonly transcoding: TranscodeDependencies;
}

const letterT = 0x74;

const membersToRun = { background: false, stream: true };

const largeBodyBytes = 1024 * 1024;

/**
 * Whether a call is to run as a turn: its caller asked for that, and the upstream does not
 * do it itself, as a vendor does that speaks responses, with the caller's own credential.
 */
export function shouldRunAsBackgroundTurn({ call, body, decision }: PlannedCall): boolean {
  const plan = decision.candidates[0]?.plan;
  if (call.surface !== responsesDialectOperation || call.turnId !== undefined) return false;
  if (plan === undefined || (plan.lane === "pass-through" && plan.route === "byo")) return false;
  if (!mayName(body.bytes)) return false;
  const [span] = locateNamedMemberSpans(body.bytes, ["background"]);
  return span !== undefined && body.bytes[span.start] === letterT;
}

/** Far cheaper than reading the whole body for a member that nearly none has; names may be escaped. */
function mayName(bytes: Buffer): boolean {
  return bytes.includes('"background"') || bytes.includes("\\u00");
}

/** A call that is stored as a turn, and answered with what is known of that. */
export class BackgroundCall {
  readonly #dependencies: BackgroundTurnStartDependencies;
  readonly #planned: PlannedCall;
  readonly #progress: CallProgress;
  readonly #response: CallerResponse;
  readonly #listener: TurnSubscriber;

  constructor(
    dependencies: BackgroundTurnStartDependencies,
    planned: PlannedCall,
    progress: CallProgress,
    answer: CallerResponse,
  ) {
    this.#dependencies = dependencies;
    this.#planned = planned;
    this.#progress = progress;
    this.#response = answer;
    this.#listener = new TurnSubscriber(dependencies.durableTurns, answer);
  }

  /** Rejects with the refusal of what cannot be carried or kept. */
  async start(): Promise<void> {
    const { call } = this.#planned;
    const body = parseCallBody(this.#planned.body.bytes, call.hold);
    this.#rejectUnstored(body);
    await this.#letOthers();
    const toRun = this.#bodyToRun();
    const text = toRun.toString();
    await this.#letOthers();
    await this.#rejectUnserved(toRun, { ...body, ...membersToRun });
    await this.#letOthers();
    const created = this.#dependencies.clock.now();
    const id = newResourceId("turn", created);
    const response = buildResponsesQueuedResponse({
      id,
      created: Math.floor(created / 1000),
      body,
    });
    const { accountId, keyId } = call.key.principal;
    const { requestId, address, callId, headers } = call;
    const request = {
      requestId,
      address,
      callId,
      headers: selectTurnRequestHeaders(headers),
      body: text,
    };
    const input = await this.#input(body);
    const turn = { id, accountId, keyId, request, input, response };
    const started = await this.#dependencies.durableTurns.start(turn);
    this.#progress.call = { ...this.#progress.call, isQueued: true, ...started };
    if (!call.isStream) return this.#send(response);
    await this.#listener.subscribe({
      accountId,
      id,
      isStarter: true,
      wantsWholeEvents: false,
      stage: this.#response,
      hold: call.hold,
    });
  }

  /** The caller is gone; the turn goes on. */
  stop(): void {
    this.#listener.unsubscribe();
  }

  /** The caller reads again. */
  resume(): void {
    this.#listener.resume();
  }

  /** Its items, as `input_items` lists them: what they refer to stands in its place. */
  async #input(body: JsonObject): Promise<readonly JsonObject[]> {
    const { key, hold } = this.#planned.call;
    const { accountId } = key.principal;
    const references = findStoredReferences({ input: body["input"] });
    return resolveInputItems(
      body,
      references &&
        (await loadReferencedItems(this.#dependencies.transcoding, accountId, references, hold)),
    );
  }

  #rejectUnstored(body: JsonObject): void {
    if ((body["store"] ?? true) !== true) {
      throw invalidRequestError(
        "store",
        "An answer in the background is stored: leave `store` out.",
      );
    }
    if (this.#dependencies.durableTurns.isEnabled) return;
    const message = "This installation keeps no answers, and so makes none in the background.";
    throw invalidRequestError("background", message);
  }

  /**
   * What no upstream could be asked, or nobody can pay now, is refused before anything is
   * stored. Nothing is held for a turn that waits: each of its calls holds what it may cost.
   * Preparing an attempt writes into `bytes`.
   */
  async #rejectUnserved(bytes: Buffer, parsed: JsonObject): Promise<void> {
    const { decision } = this.#planned;
    const plan = decision.candidates[0]?.plan;
    if (plan === undefined) throw new Error("A call has no route.");
    const call: ModelCall & { plan: typeof plan } = { ...this.#planned.call, plan };
    this.#progress.call = call;
    const body = { ...scanCallBody(bytes), parsed };
    await assertCallCanStart(this.#dependencies, call, body, this.#response);
  }

  /** As it is dialled: streamed, so that nothing is lost of what comes. */
  #bodyToRun(): Buffer {
    return replaceJsonMembers(this.#planned.body.bytes, membersToRun);
  }

  /** Between the steps of a large body other calls have their turn. */
  async #letOthers(): Promise<void> {
    if (this.#planned.body.bytes.length >= largeBodyBytes) await nextTurn();
  }

  #send(response: JsonObject): void {
    const text = Buffer.from(JSON.stringify(response));
    this.#response.send(200, "application/json; charset=utf-8", text);
  }
}
