import type { TokenHasher } from "../account/token-hasher.ts";
import type { SealedColumn } from "../domain/rewrap.ts";
import type { SealedValueBinding, SecretBox } from "../platform/crypto/secret-box.ts";
import { generateInviteCode } from "../platform/crypto/token.ts";
import type { TeamInvite } from "./team-invite.entity.ts";

const table = "team_invites";

/** What `causeway keys rewrap` moves to another master key. */
export const teamInviteSealedColumns: readonly SealedColumn[] = [
  { table, column: "code", rowId: "id" },
];

/** A new code, and what is stored of it. */
export interface IssuedInviteCode {
  readonly code: string;
  readonly stored: Pick<TeamInvite, "codeHash" | "pepperId" | "code">;
}

/** Makes, finds and shows the codes of invites: a keyed hash for look-up, a sealed copy for the list. */
export class TeamInviteCodes {
  readonly #hasher: TokenHasher;
  readonly #box: SecretBox;

  constructor(hasher: TokenHasher, box: SecretBox) {
    this.#hasher = hasher;
    this.#box = box;
  }

  issue(inviteId: string): IssuedInviteCode {
    const code = generateInviteCode();
    const { hash, pepperId } = this.#hasher.hash(code);
    const sealed = this.#box.seal(code, bindingOf(inviteId));
    return { code, stored: { codeHash: hash, pepperId, code: sealed } };
  }

  /** What an invite is looked up by. */
  hash(code: string): string {
    return this.#hasher.hash(code).hash;
  }

  /** The code of a pending invite; empty once it has ended. Throws `SealError`. */
  open({ id, code }: Pick<TeamInvite, "id" | "code">): string {
    return code === null ? "" : this.#box.open(code, bindingOf(id));
  }
}

function bindingOf(row: string): SealedValueBinding {
  return { table, row, column: "code" };
}
