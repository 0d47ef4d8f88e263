import { asNumber, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { AgentToolsetSnapshot } from "../../domain/agent-turn.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";
import type { AnswerCallIds } from "./answer-call-ids.ts";
import { isForgedOutputItem } from "./forged-items.ts";

/**
 * The events of one model call of an agent, as its caller is told them: without the calls
 * of tools that are neither the caller's nor our own, which are told when they are made
 * (`mcp_call`), without items that no model gives, and without the sealed thoughts that only we
 * asked for.
 */
export class CallerVisibleStepEventFilter {
  readonly #toolset: AgentToolsetSnapshot;
  readonly #wantsEncryptedReasoning: boolean;
  readonly #callIds: AnswerCallIds;
  /** Items that are told, by their place in the model's answer. */
  readonly #places = new Map<number, number>();
  readonly #items: JsonObject[] = [];

  constructor(outfit: AgentToolsetSnapshot, wantsSeals: boolean, callIds: AnswerCallIds) {
    this.#toolset = outfit;
    this.#wantsEncryptedReasoning = wantsSeals;
    this.#callIds = callIds;
  }

  /**
   * Returns the items of the answer with unique call ids, without those that no model gives.
   * `output`: items of its last event; if that has none, the items that have ended in the stream
   * are returned.
   */
  answerItems(output: readonly JsonObject[]): readonly JsonObject[] {
    const items = output.length > 0 ? this.#callIds.whole(output) : this.#items;
    return items.filter((item) => !isForgedOutputItem(item));
  }

  /** The event as it is told; none where it is not. */
  take(event: ResponsesStreamEvent): readonly ResponsesStreamEvent[] {
    const index = asNumber(event["output_index"]);
    if (index === undefined) return [event];
    const sent = asObject(event["item"]);
    if (sent !== undefined && isForgedOutputItem(sent)) return [];
    const item = sent && this.#callIds.streamed(event.type, index, sent);
    if (event.type === "response.output_item.done" && item !== undefined) this.#items.push(item);
    if (event.type === "response.output_item.added" && this.#isSent(item ?? {})) {
      this.#places.set(index, this.#places.size);
    }
    const output_index = this.#places.get(index);
    if (output_index === undefined) return [];
    return [{ ...event, output_index, ...(item && { item: this.#unsealed(item) }) }];
  }

  #isSent(item: JsonObject): boolean {
    if (item["type"] !== "function_call") return true;
    const name = asString(item["name"]);
    const tool = this.#toolset.tools.find((one) => one.name === name);
    return tool !== undefined && tool.source.kind !== "mcp";
  }

  #unsealed(item: JsonObject): JsonObject {
    if (this.#wantsEncryptedReasoning || item["type"] !== "reasoning") return item;
    const { encrypted_content: _sealed, ...told } = item;
    return told;
  }
}
