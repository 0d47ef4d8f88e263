import { objectsIn, type JsonObject } from "../../dialect/json.ts";
import type { BodyHolder } from "../../platform/body-holder.ts";
import type { HeldBodies, HeldBody } from "../../platform/held-bodies.ts";

/** What a connection's next call can go on from although nobody keeps it. */
export interface RememberedAnswer {
  readonly id: string;
  /** A kept answer that its conversation began behind; undefined: none. */
  readonly previousId: string | undefined;
  /** Its conversation, the answer included: JSON items with commas between them. */
  readonly items: Buffer;
}

/**
 * The last answer of a connection, as long as there is room for it: all connections
 * together remember a bounded number of bytes, and those of one account a quarter of them.
 * When that is full, the account with the most bytes forgets its largest.
 */
export class LastAnswer {
  readonly #room: HeldBodies;
  readonly #holder: BodyHolder;
  #held: HeldBody | undefined;
  #remembered: RememberedAnswer | undefined;

  constructor(room: HeldBodies, holder: BodyHolder) {
    this.#room = room;
    this.#holder = holder;
  }

  get remembered(): RememberedAnswer | undefined {
    return this.#remembered;
  }

  /** One that there is no room for is not remembered: who names it is told that it is not there. */
  remember(answer: RememberedAnswer): void {
    this.forget();
    const held = this.#room.open(this.#holder);
    try {
      held.add(answer.items.length);
    } catch {
      return;
    }
    held.finish(() => this.forget());
    this.#held = held;
    this.#remembered = answer;
  }

  forget(): void {
    this.#held?.release();
    this.#held = undefined;
    this.#remembered = undefined;
  }
}

/** The items of a conversation and of the answer to it; thoughts that nobody could read again are left out. */
export function withOutput(items: Buffer, response: JsonObject): Buffer {
  const output = objectsIn(response["output"])
    .filter((item) => item["type"] !== "reasoning" || isReadable(item))
    .map((item) => JSON.stringify(item));
  return joinedItems(items, Buffer.from(output.join(",")));
}

function isReadable(item: JsonObject): boolean {
  return typeof item["encrypted_content"] === "string";
}

/** Two lists of items as one. */
export function joinedItems(one: Buffer | undefined, other: Buffer): Buffer {
  if (one === undefined || one.length === 0) return other;
  return other.length === 0 ? one : Buffer.concat([one, comma, other]);
}

const comma = Buffer.from(",");
