import type { EntityManager } from "@mikro-orm/postgresql";
import { asArrayOrEmpty, asJsonObjectElements, type JsonObject } from "../../dialect/json.ts";
import { computeCallCostNano } from "../../domain/compute-cost.ts";
import type { TurnModelCallUsage } from "../../domain/durable-turn.ts";
import type { CallLogRecorder, CallLogWriter, CallLogEntry } from "../../domain/call-log-entry.ts";
import type {
  CreditsReservation,
  CreditsReservationRequest,
  CallTokenUsage,
} from "../../domain/reservation.ts";
import type { ModelPrice } from "../../platform/configuration/model-price.ts";
import type { CallReservationLedger, OrphanedReservationSettler } from "../ports.ts";
import { nanoDigitsToUsd } from "../../domain/money.ts";
import type { StoredResponseStore } from "../stored-responses/stored-response-store.ts";
import type { StoredResponses, NewStoredResponse } from "../stored-responses/stored-responses.ts";

/** Where the books of a model call are written in the end. */
export interface DeferredCallRecordsDependencies {
  readonly ledger: CallReservationLedger & OrphanedReservationSettler;
  readonly recorder: CallLogWriter;
  readonly storedResponses: StoredResponses & Pick<StoredResponseStore, "storeInTransaction">;
}

/** What a call used of a reservation; undefined: nothing. */
interface Settlement {
  readonly request: CreditsReservationRequest;
  readonly reservation: CreditsReservation;
  readonly used: CallTokenUsage | undefined;
}

/**
 * What a model call of a turn leaves behind, held back until it is written with the last
 * events of the call: what it used, the call itself, and the answer for later calls.
 */
export class DeferredCallRecords implements CallReservationLedger, CallLogRecorder {
  readonly #dependencies: DeferredCallRecordsDependencies;
  readonly #turnId: string;
  readonly #isRepeated: boolean;
  readonly #settlements: Settlement[] = [];
  readonly #calls: CallLogEntry[] = [];
  #kept: NewStoredResponse | undefined;

  constructor(dependencies: DeferredCallRecordsDependencies, turnId: string, isRepeated: boolean) {
    this.#dependencies = dependencies;
    this.#turnId = turnId;
    this.#isRepeated = isRepeated;
  }

  async reserve(request: CreditsReservationRequest): Promise<CreditsReservation> {
    const asked = { ...request, isRepeated: this.#isRepeated };
    const reservation = await this.#dependencies.ledger.reserve(asked);
    const note = async (used: CallTokenUsage | undefined): Promise<void> => {
      this.#settlements.push({ request, reservation, used });
    };
    return { ...reservation, settle: note, release: () => note(undefined) };
  }

  record(call: CallLogEntry): void {
    this.#calls.push({ ...call, turn: this.#turnId, isRepeated: this.#isRepeated });
  }

  /** What the call used, all its targets together; undefined: nothing. */
  used(): TurnModelCallUsage | undefined {
    const paid = this.#settlements.flatMap(({ request, used }) =>
      used === undefined ? [] : [toTurnModelCallUsage(used, request.price)],
    );
    const unpaid = this.#calls.flatMap(({ use }) =>
      use === undefined ? [] : [{ ...use, costUsd: 0 }],
    );
    return [...paid, ...unpaid].reduce<TurnModelCallUsage | undefined>(sumOf, undefined);
  }

  /** Kept turns, of which this call's own is held back. */
  keptTurns(): StoredResponses {
    const { storedResponses } = this.#dependencies;
    return {
      isEnabled: storedResponses.isEnabled,
      conversation: (accountId, id, budget) => storedResponses.conversation(accountId, id, budget),
      items: (accountId, ids, budget) => storedResponses.items(accountId, ids, budget),
      has: (accountId, id) => storedResponses.has(accountId, id),
      find: (accountId, id, part, context) => storedResponses.find(accountId, id, part, context),
      delete: (accountId, id) => storedResponses.delete(accountId, id),
      store: async (turn) => void (this.#kept = turn),
    };
  }

  /** Writes all of it inside a transaction; `response` is what the turn ended with. */
  async commit(em: EntityManager, response: JsonObject | undefined): Promise<void> {
    for (const { reservation, used } of this.#settlements) {
      if (used === undefined) await reservation.release(em);
      else await reservation.settle(used, em);
    }
    for (const call of this.#calls) await this.#dependencies.recorder.write(em, call);
    const kept = this.#kept;
    if (kept === undefined || response === undefined) return;
    await this.#dependencies.storedResponses.storeInTransaction(em, this.#asTold(kept, response));
  }

  /** Under the turn's id, behind the items that earlier calls had told and a model can read. */
  #asTold(kept: NewStoredResponse, response: JsonObject): NewStoredResponse {
    const told = asArrayOrEmpty(response["output"]);
    const own = asArrayOrEmpty(kept.response["output"]).length;
    const earlier = asJsonObjectElements(told.slice(0, told.length - own)).filter(canBeReadAgain);
    return { ...kept, id: this.#turnId, response, output: [...earlier, ...kept.output] };
  }
}

/** Half a call has no result, and half a thought no signature; half a message is what was said. */
function canBeReadAgain({ type, status }: JsonObject): boolean {
  return type === "message" || status !== "incomplete";
}

/** Tokens as they are counted and paid for. */
export function toTurnModelCallUsage(
  used: CallTokenUsage,
  price: ModelPrice | undefined,
): TurnModelCallUsage {
  const { input, cacheRead, cacheWrite, output } = used;
  return {
    inputTokens: input + cacheRead + cacheWrite,
    cachedInputTokens: cacheRead,
    outputTokens: output,
    costUsd: price === undefined ? 0 : nanoDigitsToUsd(computeCallCostNano(price, used).toString()),
  };
}

function sumOf(sum: TurnModelCallUsage | undefined, one: TurnModelCallUsage): TurnModelCallUsage {
  return {
    inputTokens: (sum?.inputTokens ?? 0) + one.inputTokens,
    cachedInputTokens: (sum?.cachedInputTokens ?? 0) + one.cachedInputTokens,
    outputTokens: (sum?.outputTokens ?? 0) + one.outputTokens,
    costUsd: (sum?.costUsd ?? 0) + one.costUsd,
  };
}
