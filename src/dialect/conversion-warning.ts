import { invalidRequestError } from "../platform/errors.ts";

/** What became of something that cannot be carried. */
export type ConversionWarningEffect = "dropped" | "approximated";

/**
 * Why, as one token (docs/dialects.md#warnings):
 * `unsupported` the other dialect has no word for it; `model` this model
 * does not take it; `range` its value lies outside the range; `conflict` another
 * field of the request excludes it; `default` the nearest default took its place;
 * `limit` there were more than the upstream takes; `unknown` this server does not
 * know the field; `foreign` it belongs to another vendor; `position` it cannot
 * stand where it stood; `schema` the schema was reduced to what the upstream
 * checks; `wrapped` it was put into another form that says the same; `forgotten`
 * what the model thought before a call was not sent back, and is not remembered; `more`
 * of the path `*`: there are more warnings than are listed.
 */
export type ConversionWarningReason =
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
  | "forgotten"
  | "more";

/** One loss that is advice: the call goes on and the caller is told. */
export interface ConversionWarning {
  /** Path in the caller's body or in the upstream's answer, or `headers.<name>`. */
  readonly path: string;
  readonly action: ConversionWarningEffect;
  readonly reason: ConversionWarningReason;
}

/** Warnings that are listed with the indexes of their paths. */
const maxIndexed = 64;

/** Warnings beyond those, each listed once with `[*]` for its indexes. */
const maxFolded = 64;

/** Characters of a path, which may hold the name of any member. */
const maxPathLength = 200;

/** A body may have a hundred thousand members that each cause a warning. */
const moreWarnings: ConversionWarning = { path: "*", action: "dropped", reason: "more" };

/**
 * Collects the warnings of a call on its way into another dialect, in the order found and at
 * most 129 of them. What would change the meaning of the response is an error: `refuse`.
 */
export class ConversionWarningCollector {
  readonly #warnings: ConversionWarning[] = [];
  readonly #folded = new Set<string>();
  #hasMore = false;

  get warnings(): readonly ConversionWarning[] {
    return this.#warnings;
  }

  drop(path: string, reason: ConversionWarningReason): void {
    this.#add({ path, action: "dropped", reason });
  }

  approximate(path: string, reason: ConversionWarningReason): void {
    this.#add({ path, action: "approximated", reason });
  }

  #add(warning: ConversionWarning): void {
    const path = warning.path.slice(0, maxPathLength);
    if (this.#warnings.length < maxIndexed) this.#warnings.push({ ...warning, path });
    else if (!this.#hasMore) this.#addFolded({ ...warning, path: replacePathIndexes(path) });
  }

  #addFolded(warning: ConversionWarning): void {
    const key = JSON.stringify(warning);
    if (this.#folded.has(key)) return;
    this.#hasMore = this.#folded.size === maxFolded;
    this.#warnings.push(this.#hasMore ? moreWarnings : warning);
    this.#folded.add(key);
  }

  /** Throws 400 `invalid_request` with the path as its `param`. */
  reject(path: string, message: string): never {
    throw invalidRequestError(path, message);
  }
}

/** Returns a path with `[*]` for each index. */
export function replacePathIndexes(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "[*]");
}
