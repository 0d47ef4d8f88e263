import type { JsonObject } from "../../../src/dialect/json.ts";
import { PromptCache } from "./prompt-cache.ts";

/** What the double keeps of its answers, as its vendors do, for as long as it runs. */
export class Memory {
  readonly prompts = new PromptCache();
  /** Responses by their ids. */
  readonly answers = new Map<string, JsonObject>();
  /** Conversations of responses, their answers included, by the answer's id. */
  readonly responses = new Map<string, readonly unknown[]>();
  /** Items of responses by their own ids. */
  readonly items = new Map<string, JsonObject>();
  /** What a thread of messages goes on from, by the id of its last answer. */
  readonly threads = new Map<string, JsonObject>();
}
