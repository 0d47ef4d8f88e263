import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { ConversionWarningCollector } from "../../dialect/conversion-warning.ts";
import type { ReasoningEnvelopeSealer } from "../../dialect/reasoning-envelope.ts";
import { isReasoningEnvelope } from "../../dialect/signed-envelope.ts";

/**
 * Items of a vendor's own as they are kept: what it needs back of its thoughts is
 * bound to the upstream and model that thought them, as in every kept turn.
 */
export function sealReasoningToUpstream(
  items: readonly JsonObject[],
  envelope: ReasoningEnvelopeSealer,
): readonly JsonObject[] {
  return items.map((item) => {
    const encryptedContent = encryptedOf(item);
    if (encryptedContent === undefined || isReasoningEnvelope(encryptedContent)) return item;
    const id = asString(item["id"]) ?? "";
    const seal = { dialect: "dialect_responses", kind: "encrypted", id, encryptedContent } as const;
    return { ...item, encrypted_content: envelope.seal(seal, summaryOf(item)) };
  });
}

/**
 * An item as the vendor takes it when it keeps nothing: thoughts of another upstream
 * or model, and such as were never given whole, are left out, which `ledger` is told.
 */
export function unwrapReasoningEnvelope(
  item: JsonObject,
  path: string,
  envelope: ReasoningEnvelopeSealer,
  ledger: ConversionWarningCollector,
): readonly JsonObject[] {
  if (item["type"] !== "reasoning" || isReadable(item)) return [item];
  const encrypted = encryptedOf(item);
  if (encrypted !== undefined && !isReasoningEnvelope(encrypted)) return [item];
  const seal = encrypted === undefined ? undefined : envelope.open(encrypted)?.encryptedReasoning;
  if (seal?.dialect === "dialect_responses") {
    return [{ ...item, id: seal.id, encrypted_content: seal.encryptedContent }];
  }
  ledger.drop(path, encrypted === undefined ? "forgotten" : "foreign");
  return [];
}

/** Thoughts that say nothing but their id: their vendor would look them up. */
export function isReasoningReference(item: JsonObject): boolean {
  return item["type"] === "reasoning" && encryptedOf(item) === undefined && !isReadable(item);
}

/** Some servers give their thoughts as text, which goes back as it came. */
function isReadable(item: JsonObject): boolean {
  return encryptedOf(item) === undefined && asArrayOrEmpty(item["content"]).length > 0;
}

function encryptedOf(item: JsonObject): string | undefined {
  return item["type"] === "reasoning"
    ? asString(item["encrypted_content"]) || undefined
    : undefined;
}

function summaryOf(item: JsonObject): readonly string[] {
  return asArrayOrEmpty(item["summary"]).flatMap(
    (part) => asString(asObject(part)?.["text"]) ?? [],
  );
}
