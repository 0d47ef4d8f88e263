import { asJsonObjectElements, type JsonObject } from "../../dialect/json.ts";
import {
  appendSerializedConversationItems,
  hasTooManyConversationJsonValues,
  type SerializedConversationItems,
} from "./conversation-items.ts";
import type { RequestBodyMemoryOwner } from "../../platform/body-holder.ts";
import type {
  RequestBodyMemoryBudget,
  HeldRequestBody,
} from "../../platform/body-memory-budget.ts";

/** What a connection's next call can go on from although nobody keeps it. */
export interface CachedLastResponse {
  readonly id: string;
  /** A kept answer that its conversation began behind; undefined: none. */
  readonly previousId: string | undefined;
  /** Its conversation, the answer included. */
  readonly items: SerializedConversationItems;
}

/**
 * The last answer of a connection, as long as there is room for it: all connections
 * together remember a bounded number of bytes, and those of one account a quarter of them.
 * When that is full, the account with the most bytes forgets its largest. The conversation
 * of a running call counts as well, because its answer is remembered with it.
 */
export class LastResponseCache {
  readonly #memoryBudget: RequestBodyMemoryBudget;
  readonly #holder: RequestBodyMemoryOwner;
  #allocated: HeldRequestBody | undefined;
  #remembered: CachedLastResponse | undefined;
  #heldItems: HeldRequestBody | undefined;
  #items: SerializedConversationItems | undefined;

  constructor(room: RequestBodyMemoryBudget, holder: RequestBodyMemoryOwner) {
    this.#memoryBudget = room;
    this.#holder = holder;
  }

  get remembered(): CachedLastResponse | undefined {
    return this.#remembered;
  }

  /**
   * Holds the conversation of a call that begins. If there is no room for it beside the last
   * answer, that is forgotten; without room even then, the answer to the call is not remembered.
   */
  begin(items: SerializedConversationItems | undefined): void {
    this.end();
    if (items === undefined) return;
    const hold = (): HeldRequestBody | undefined => this.#hold(items.bytes, () => this.end());
    this.#heldItems = hold();
    if (this.#heldItems === undefined) {
      this.forget();
      this.#heldItems = hold();
    }
    if (this.#heldItems !== undefined) this.#items = items;
  }

  /** Drops the conversation of the call, which has ended. */
  end(): void {
    this.#heldItems?.release();
    this.#heldItems = undefined;
    this.#items = undefined;
  }

  /** Remembers the answer to the call that began. Without room for it, or with too many values, its id will be unknown. */
  remember(id: string, previousId: string | undefined, response: JsonObject): void {
    this.forget();
    const conversation = this.#items;
    if (conversation === undefined) return;
    const items = appendOutput(conversation, response);
    this.end();
    if (hasTooManyConversationJsonValues(items)) return;
    this.#allocated = this.#hold(items.bytes, () => this.forget());
    if (this.#allocated !== undefined) this.#remembered = { id, previousId, items };
  }

  forget(): void {
    this.#allocated?.release();
    this.#allocated = undefined;
    this.#remembered = undefined;
  }

  /** Returns undefined if there is no room. */
  #hold(bytes: number, onEnd: () => void): HeldRequestBody | undefined {
    const held = this.#memoryBudget.allocate(this.#holder);
    try {
      held.add(bytes);
    } catch {
      return undefined;
    }
    held.finish(onEnd);
    return held;
  }
}

/** The items of a conversation and of the answer to it; thoughts that nobody could read again are left out. */
function appendOutput(
  items: SerializedConversationItems,
  response: JsonObject,
): SerializedConversationItems {
  const output = asJsonObjectElements(response["output"])
    .filter((item) => item["type"] !== "reasoning" || isReadable(item))
    .map((item) => JSON.stringify(item));
  return appendSerializedConversationItems(items, Buffer.from(output.join(",")));
}

function isReadable(item: JsonObject): boolean {
  return typeof item["encrypted_content"] === "string";
}
