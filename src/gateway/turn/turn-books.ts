import type { EntityManager } from "@mikro-orm/postgresql";
import { asArray, objectsIn, type JsonObject } from "../../dialect/json.ts";
import { costNano } from "../../kernel/cost-nano.ts";
import type { TurnCallUse } from "../../kernel/durable-turn.ts";
import type { CallKeeper, CallWriter, KeptCall } from "../../kernel/kept-call.ts";
import type { Reservation, ReservationRequest, UsedTokens } from "../../kernel/reservation.ts";
import type { ModelPrice } from "../../platform/configuration/model-price.ts";
import type { CallLedger, LostLedger } from "../ports.ts";
import { usdOfNano } from "../../kernel/money.ts";
import type { KeptResponseStore } from "../response/kept-response-store.ts";
import type { KeptTurns, TurnToKeep } from "../response/kept-turns.ts";

/** Where the books of a model call are written in the end. */
export interface TurnBookDependencies {
  readonly ledger: CallLedger & LostLedger;
  readonly keeper: CallWriter;
  readonly turns: KeptTurns & Pick<KeptResponseStore, "keepWithin">;
}

/** What a call used of a reservation; undefined: nothing. */
interface Settlement {
  readonly request: ReservationRequest;
  readonly reservation: Reservation;
  readonly used: UsedTokens | undefined;
}

/**
 * What a model call of a turn leaves behind, held back until it is written with the last
 * events of the call: what it used, the call itself, and the answer for later calls.
 */
export class TurnBooks implements CallLedger, CallKeeper {
  readonly #dependencies: TurnBookDependencies;
  readonly #turnId: string;
  readonly #isRepeated: boolean;
  readonly #settlements: Settlement[] = [];
  readonly #calls: KeptCall[] = [];
  #kept: TurnToKeep | undefined;

  constructor(dependencies: TurnBookDependencies, turnId: string, isRepeated: boolean) {
    this.#dependencies = dependencies;
    this.#turnId = turnId;
    this.#isRepeated = isRepeated;
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    const asked = { ...request, isRepeated: this.#isRepeated };
    const reservation = await this.#dependencies.ledger.reserve(asked);
    const note = async (used: UsedTokens | undefined): Promise<void> => {
      this.#settlements.push({ request, reservation, used });
    };
    return { ...reservation, settle: note, release: () => note(undefined) };
  }

  note(call: KeptCall): void {
    this.#calls.push({ ...call, turn: this.#turnId, isRepeated: this.#isRepeated });
  }

  /** What the call used, all its targets together; undefined: nothing. */
  used(): TurnCallUse | undefined {
    const paid = this.#settlements.flatMap(({ request, used }) =>
      used === undefined ? [] : [useOf(used, request.price)],
    );
    const unpaid = this.#calls.flatMap(({ use }) =>
      use === undefined ? [] : [{ ...use, costUsd: 0 }],
    );
    return [...paid, ...unpaid].reduce<TurnCallUse | undefined>(sumOf, undefined);
  }

  /** Kept turns, of which this call's own is held back. */
  keptTurns(): KeptTurns {
    const { turns } = this.#dependencies;
    return {
      isOn: turns.isOn,
      conversation: (accountId, id) => turns.conversation(accountId, id),
      items: (accountId, ids) => turns.items(accountId, ids),
      find: (accountId, id) => turns.find(accountId, id),
      delete: (accountId, id) => turns.delete(accountId, id),
      keep: async (turn) => void (this.#kept = turn),
    };
  }

  /** Writes all of it inside a transaction; `response` is what the turn ended with. */
  async commit(em: EntityManager, response: JsonObject | undefined): Promise<void> {
    for (const { reservation, used } of this.#settlements) {
      if (used === undefined) await reservation.release(em);
      else await reservation.settle(used, em);
    }
    for (const call of this.#calls) await this.#dependencies.keeper.write(em, call);
    const kept = this.#kept;
    if (kept === undefined || response === undefined) return;
    await this.#dependencies.turns.keepWithin(em, this.#asTold(kept, response));
  }

  /** Under the turn's id, behind the items that earlier calls had told and a model can read. */
  #asTold(kept: TurnToKeep, response: JsonObject): TurnToKeep {
    const told = asArray(response["output"]);
    const own = asArray(kept.response["output"]).length;
    const earlier = objectsIn(told.slice(0, told.length - own)).filter(canBeReadAgain);
    return { ...kept, id: this.#turnId, response, output: [...earlier, ...kept.output] };
  }
}

/** Half a call has no result, and half a thought no signature; half a message is what was said. */
function canBeReadAgain({ type, status }: JsonObject): boolean {
  return type === "message" || status !== "incomplete";
}

/** Tokens as they are counted and paid for. */
export function useOf(used: UsedTokens, price: ModelPrice | undefined): TurnCallUse {
  const { input, cacheRead, cacheWrite, output } = used;
  return {
    inputTokens: input + cacheRead + cacheWrite,
    cachedInputTokens: cacheRead,
    outputTokens: output,
    costUsd: price === undefined ? 0 : usdOfNano(costNano(price, used).toString()),
  };
}

function sumOf(sum: TurnCallUse | undefined, one: TurnCallUse): TurnCallUse {
  return {
    inputTokens: (sum?.inputTokens ?? 0) + one.inputTokens,
    cachedInputTokens: (sum?.cachedInputTokens ?? 0) + one.cachedInputTokens,
    outputTokens: (sum?.outputTokens ?? 0) + one.outputTokens,
    costUsd: (sum?.costUsd ?? 0) + one.costUsd,
  };
}
