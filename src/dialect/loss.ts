import { invalidRequest } from "../platform/errors.ts";

/** What became of something that cannot be carried. */
export type LossAction = "dropped" | "approximated";

/**
 * Why, as one token (docs/dialects.md#warnings):
 * `unsupported` the other dialect has no word for it; `model` this model
 * does not take it; `range` its value lies outside the range; `conflict` another
 * field of the request excludes it; `default` the nearest default took its place;
 * `limit` there were more than the upstream takes; `unknown` this server does not
 * know the field; `foreign` it belongs to another vendor; `position` it cannot
 * stand where it stood; `schema` the schema was reduced to what the upstream
 * checks; `wrapped` it was put into another form that says the same; `forgotten`
 * what the model thought before a call was not sent back, and is not remembered.
 */
export type LossReason =
  | "unsupported"
  | "model"
  | "range"
  | "conflict"
  | "default"
  | "limit"
  | "unknown"
  | "foreign"
  | "position"
  | "schema"
  | "wrapped"
  | "forgotten";

/** One loss that is advice: the call goes on and the caller is told. */
export interface Loss {
  /** Path in the caller's body or in the upstream's answer, or `headers.<name>`. */
  readonly path: string;
  readonly action: LossAction;
  readonly reason: LossReason;
}

/**
 * What a call lost on its way into another dialect, in the order found. What
 * would change the meaning of the answer is not lost but refused: `refuse`.
 */
export class LossLedger {
  readonly #losses: Loss[] = [];

  get losses(): readonly Loss[] {
    return this.#losses;
  }

  drop(path: string, reason: LossReason): void {
    this.#losses.push({ path, action: "dropped", reason });
  }

  approximate(path: string, reason: LossReason): void {
    this.#losses.push({ path, action: "approximated", reason });
  }

  /** Throws 400 `invalid_request` with the path as its `param`. */
  refuse(path: string, message: string): never {
    throw invalidRequest(path, message);
  }
}
