import type { SealedValueBinding, SecretBox } from "../platform/crypto/secret-box.ts";

const table = "learned_services";
const column = "state";

/** What `causeway keys rewrap` moves to another master key. */
export const learnedServiceSealedColumns = [{ table, column, rowId: "id" }];

/**
 * Seals what was learned: it holds no value, but names and segments of addresses
 * that are not published yet.
 */
export function sealLearnedServiceState(box: SecretBox, id: string, state: Uint8Array): string {
  return box.seal(Buffer.from(state).toString("base64"), bindingOf(id));
}

/** Opens what `sealLearnedServiceState` sealed. */
export function openLearnedServiceState(box: SecretBox, id: string, sealed: string): Uint8Array {
  return Buffer.from(box.open(sealed, bindingOf(id)), "base64");
}

function bindingOf(id: string): SealedValueBinding {
  return { table, row: id, column };
}
