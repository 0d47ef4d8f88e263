import { asString, type JsonObject } from "../../dialect/json.ts";
import { createUniqueToolCallIdAssigner } from "../../dialect/tool-call-ids.ts";
import type { AgentTurnProgress } from "./agent-progress.ts";
import { isToolCallItem } from "./requested-tool-call.ts";

interface AssignedCallId {
  /** Id that the model's endpoint sent last. */
  original: string;
  /** `output_index` of the call. */
  readonly index: number;
  readonly id: string;
}

/**
 * Gives the tool calls in one model answer ids that are unique in the whole conversation. The
 * decoders of other dialects do that too, but an endpoint that speaks responses is passed
 * through, and may repeat an id.
 */
export class AnswerCallIds {
  readonly #readUsed: () => ReadonlySet<string>;
  readonly #answerId: string;
  #assign: ((id: string) => string) | undefined;
  /** In the order of the calls. */
  readonly #assigned: AssignedCallId[] = [];
  /** Calls that have begun and have not ended, by `output_index`. */
  readonly #open = new Map<number, AssignedCallId>();

  /**
   * `readUsed` returns the ids of all calls in the conversation, and runs when the answer has a call.
   * `answerId` is part of the id of a call that has none.
   */
  constructor(readUsed: () => ReadonlySet<string>, answerId: string) {
    this.#readUsed = readUsed;
    this.#answerId = answerId;
  }

  /** Returns the item of an `output_item` event with its unique id. */
  streamed(eventType: string, index: number, item: JsonObject): JsonObject {
    if (!isToolCallItem(item)) return item;
    const isBeginning = eventType === "response.output_item.added";
    const begun = isBeginning ? undefined : this.#open.get(index);
    const call = begun ?? this.#assignTo(index, originalId(item));
    call.original = originalId(item);
    if (isBeginning) this.#open.set(index, call);
    else this.#open.delete(index);
    return withCallId(item, call.id);
  }

  /** Returns the output in the last event of the answer with the ids that its stream had. */
  whole(output: readonly JsonObject[]): readonly JsonObject[] {
    const left = [...this.#assigned];
    return output.map((item, index) => {
      if (!isToolCallItem(item)) return item;
      const original = originalId(item);
      const same = left.filter((call) => call.original === original);
      // Some endpoints leave items of the stream out of the last event.
      const call = same.find((one) => one.index === index) ?? same[0];
      if (call === undefined) return withCallId(item, this.#newId(original));
      left.splice(left.indexOf(call), 1);
      return withCallId(item, call.id);
    });
  }

  #assignTo(index: number, original: string): AssignedCallId {
    const call = { original, index, id: this.#newId(original) };
    this.#assigned.push(call);
    return call;
  }

  #newId(original: string): string {
    this.#assign ??= createUniqueToolCallIdAssigner(this.#readUsed(), this.#answerId);
    return this.#assign(original);
  }
}

/** Returns the ids of all calls in the conversation of a turn; `input`: items that the turn adds. */
export function collectConversationCallIds(
  { history, steps }: Pick<AgentTurnProgress, "history" | "steps">,
  input: readonly JsonObject[],
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const items of [history, input, ...steps.map(({ output }) => output)]) {
    for (const item of items) {
      if (isToolCallItem(item)) ids.add(originalId(item));
      // The model reads the id of the item as that of the call.
      if (item["type"] === "mcp_call") ids.add(asString(item["id"]) ?? "");
    }
  }
  return ids;
}

function originalId(item: JsonObject): string {
  return asString(item["call_id"]) ?? "";
}

function withCallId(item: JsonObject, id: string): JsonObject {
  return item["call_id"] === id ? item : { ...item, call_id: id };
}
