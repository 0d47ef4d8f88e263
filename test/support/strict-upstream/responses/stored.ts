import { asArrayOrEmpty, asObject, type JsonObject } from "../../../../src/dialect/json.ts";
import type { Memory } from "../memory.ts";
import { signatureOf } from "../signature.ts";

/**
 * The body with the conversation that it goes on from, and with the items that it
 * refers to, in its `input`. What is not known stays in it, and is refused by the rules.
 */
export function recallResponses(body: JsonObject, memory: Memory): JsonObject {
  const { previous_response_id: id, ...rest } = body;
  const before = memory.responses.get(String(id));
  const items = inputItems(body).map((item) => recalled(item, memory));
  if (before !== undefined) return { ...rest, input: [...before, ...items] };
  return Array.isArray(body["input"]) ? { ...body, input: items } : body;
}

/** Keeps an answer, unless its caller does not want it. */
export function storeResponse(body: JsonObject, answer: JsonObject, memory: Memory): void {
  if (body["store"] === false) return;
  const output = asArrayOrEmpty(answer["output"]).map((item) => sealed(asObject(item) ?? {}));
  for (const item of output) memory.items.set(String(item["id"]), item);
  memory.answers.set(String(answer["id"]), answer);
  memory.responses.set(String(answer["id"]), [...inputItems(body), ...output]);
}

function inputItems({ input }: JsonObject): readonly unknown[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : asArrayOrEmpty(input);
}

function recalled(item: unknown, memory: Memory): unknown {
  const { type, id } = asObject(item) ?? {};
  return type === "item_reference" ? (memory.items.get(String(id)) ?? item) : item;
}

/** A vendor knows its own thoughts without their seal. */
function sealed(item: JsonObject): JsonObject {
  if (item["type"] !== "reasoning") return item;
  return { ...item, encrypted_content: signatureOf(String(item["id"])) };
}
