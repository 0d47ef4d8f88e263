import type { JsonObject } from "../../dialect/json.ts";
import { responsesSurface } from "../../dialect/responses/index.ts";
import { queuedResponse } from "../../dialect/responses/queued-response.ts";
import type { DurableTurns } from "../../kernel/durable-turn.ts";
import { invalidRequest } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Answer } from "../call/answer.ts";
import type { CallProgress } from "../call/call-progress.ts";
import type { ModelCall } from "../call/model-call.ts";
import { proveRoute } from "../call/prove-route.ts";
import { readCallBody, scanBody } from "../call/read-call-body.ts";
import type { Billing } from "../call/reserve-route.ts";
import { withMembers } from "../call/with-members.ts";
import { keptReferences, loadKept, ownItems } from "../response/kept-references.ts";
import type { PlannedCall } from "../routing/plan-call.ts";
import { parseBody, type TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import { storedHeaders } from "./stored-headers.ts";
import { TurnListener } from "./turn-listener.ts";

/** What calls that run without their callers are begun with. */
export interface TurnStart extends Billing {
  readonly durableTurns: DurableTurns;
  readonly transcoding: TranscodeDependencies;
}

const letterT = 0x74;

/**
 * Whether a call is to run as a turn: its caller asked for that, and the upstream does not
 * do it itself, as a vendor does that speaks responses, with the caller's own credential.
 */
export function runsAsTurn({ call, body, decision }: PlannedCall): boolean {
  const plan = decision.candidates[0]?.plan;
  if (call.surface !== responsesSurface || call.turnId !== undefined) return false;
  if (plan === undefined || (plan.lane === "pass-through" && plan.route === "byo")) return false;
  if (!mayName(body.bytes)) return false;
  const [span] = scanBody(body.bytes, ["background"]);
  return span !== undefined && body.bytes[span.start] === letterT;
}

/** Far cheaper than reading the whole body for a member that nearly none has; names may be escaped. */
function mayName(bytes: Buffer): boolean {
  return bytes.includes('"background"') || bytes.includes("\\u00");
}

/** A call that is stored as a turn, and answered with what is known of that. */
export class BackgroundCall {
  readonly #dependencies: TurnStart;
  readonly #planned: PlannedCall;
  readonly #progress: CallProgress;
  readonly #answer: Answer;
  readonly #listener: TurnListener;

  constructor(
    dependencies: TurnStart,
    planned: PlannedCall,
    progress: CallProgress,
    answer: Answer,
  ) {
    this.#dependencies = dependencies;
    this.#planned = planned;
    this.#progress = progress;
    this.#answer = answer;
    this.#listener = new TurnListener(dependencies.durableTurns, answer);
  }

  /** Rejects with the refusal of what cannot be carried or kept. */
  async start(): Promise<void> {
    const { call } = this.#planned;
    const body = parseBody(this.#planned.body.bytes);
    this.#refuseUnkept(body);
    await this.#refuseUnserved();
    const created = this.#dependencies.clock.now();
    const id = newId("turn", created);
    const response = queuedResponse({ id, created: Math.floor(created / 1000), body });
    const { accountId, keyId } = call.key.principal;
    const { requestId, address, callId, headers } = call;
    const request = {
      requestId,
      address,
      callId,
      headers: storedHeaders(headers),
      body: this.#bodyToRun().toString(),
    };
    const input = await this.#input(body);
    const turn = { id, accountId, keyId, request, input, response };
    const started = await this.#dependencies.durableTurns.start(turn);
    this.#progress.call = { ...this.#progress.call, isQueued: true, ...started };
    if (call.isStream) await this.#listener.hear(id, this.#answer);
    else this.#send(response);
  }

  /** The caller is gone; the turn goes on. */
  stop(): void {
    this.#listener.leave();
  }

  /** The caller reads again. */
  resume(): void {
    this.#listener.resume();
  }

  /** Its items, as `input_items` lists them: what they refer to stands in its place. */
  async #input(body: JsonObject): Promise<readonly JsonObject[]> {
    const { accountId } = this.#planned.call.key.principal;
    const references = keptReferences({ input: body["input"] });
    return ownItems(
      body,
      references && (await loadKept(this.#dependencies.transcoding, accountId, references)),
    );
  }

  #refuseUnkept(body: JsonObject): void {
    if (body["store"] === false) {
      throw invalidRequest("store", "An answer in the background is stored: leave `store` out.");
    }
    if (this.#dependencies.durableTurns.isOn) return;
    const message = "This installation keeps no answers, and so makes none in the background.";
    throw invalidRequest("background", message);
  }

  /**
   * What no upstream could be asked, or nobody can pay now, is refused before anything is
   * stored. Nothing is held for a turn that waits: each of its calls holds what it may cost.
   */
  async #refuseUnserved(): Promise<void> {
    const { decision } = this.#planned;
    const plan = decision.candidates[0]?.plan;
    if (plan === undefined) throw new Error("A call has no route.");
    const call: ModelCall & { plan: typeof plan } = { ...this.#planned.call, plan };
    this.#progress.call = call;
    const body = readCallBody(this.#bodyToRun());
    await proveRoute(this.#dependencies, call, body, this.#answer);
  }

  /** As it is dialled: streamed, so that nothing is lost of what comes. */
  #bodyToRun(): Buffer {
    return withMembers(this.#planned.body.bytes, { background: false, stream: true });
  }

  #send(response: JsonObject): void {
    const text = Buffer.from(JSON.stringify(response));
    this.#answer.send(200, "application/json; charset=utf-8", [text], text.length);
  }
}
