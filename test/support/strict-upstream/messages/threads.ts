import { asArrayOrEmpty, asObject, type JsonObject } from "../../../../src/dialect/json.ts";
import type { Memory } from "../memory.ts";

/**
 * The body with the history of the thread that it goes on from; a thread that is
 * not known stays in it, and is refused by the rules. Callers without the beta have none.
 */
export function recallThread(body: JsonObject, memory: Memory, betas: string): JsonObject {
  if (!wantsThread(body, betas)) return body;
  const { thread, ...rest } = body;
  const { type, previous_message_id: id } = asObject(thread) ?? {};
  if (type === "create") return rest;
  const before = memory.threads.get(String(id));
  if (before === undefined) return body;
  return {
    ...before,
    ...rest,
    messages: [...asArrayOrEmpty(before["messages"]), ...asArrayOrEmpty(rest["messages"])],
  };
}

/** Keeps the thread behind an answer. `asked` is the body as it came, `body` with its history. */
export function keepThread(
  asked: JsonObject,
  body: JsonObject,
  answer: JsonObject,
  memory: Memory,
): void {
  if (asObject(asked["thread"]) === undefined) return;
  const { system, tools, messages } = body;
  const said = { role: "assistant", content: answer["content"] };
  memory.threads.set(String(answer["id"]), {
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    messages: [...asArrayOrEmpty(messages), said],
  });
}

function wantsThread({ thread }: JsonObject, betas: string): boolean {
  return asObject(thread) !== undefined && betas.includes("threads");
}
