import type { NewTurn } from "../domain/durable-turn.ts";
import type { StoredTurnContent } from "./turn-encryption.ts";
import type { StoredTurn } from "./turn-store.ts";

/** A turn before anybody has run it; `told`: how many events it begins with. */
export function createUnstartedStoredTurn(turn: NewTurn, told: number): StoredTurn {
  const { id, accountId, keyId, request, input, response, agent } = turn;
  const content: StoredTurnContent = { request, input, response, ...(agent && { agent }) };
  const known = { status: "queued", ended: undefined, items: undefined } as const;
  const lastSequence = told - 1;
  return { id, accountId, keyId, content, lastSequence, isCancelled: false, ...known };
}
