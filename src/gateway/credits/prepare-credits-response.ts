import { RequestFieldReader, arrayElementPath } from "../../dialect/body-reader.ts";
import type { StoredConversationItems } from "../../dialect/codec.ts";
import {
  asArrayOrEmpty,
  asObject,
  asString,
  asJsonObjectElements,
  type JsonObject,
} from "../../dialect/json.ts";
import { ConversionWarningCollector } from "../../dialect/conversion-warning.ts";
import type { ReasoningEnvelopeSealer } from "../../dialect/reasoning-envelope.ts";
import {
  storedItemNotFoundError,
  previousResponseNotFoundError,
} from "../../dialect/responses/missing-stored.ts";
import { throwOnFirstConversionWarning } from "../../dialect/transcode-request.ts";
import { resolveCapabilities } from "../transcode/resolve-capabilities.ts";
import type { ResponseObjectRecorder } from "../pass-through/store-response.ts";
import { getLearnedCapabilities } from "../transcode/learned-capabilities.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import {
  findStoredReferences,
  loadReferencedItems,
  resolveInputItems,
  readItemReferenceId,
} from "../stored-responses/stored-references.ts";
import {
  isReasoningReference,
  unwrapReasoningEnvelope,
  sealReasoningToUpstream,
} from "./sealed-reasoning.ts";
import type { TargetedCall, VendorStatelessCreditsCall } from "./credits-call.ts";

const encryptedReasoningInclude = "reasoning.encrypted_content";

/**
 * A call of a responses caller to a vendor that speaks responses: the vendor stores
 * nothing, what it would look up is sent along, and the answer is kept here. Throws
 * 400 for what is not kept for the account.
 */
export function prepareCreditsResponsesCall(
  dependencies: TranscodeDependencies,
  asked: TargetedCall,
  body: JsonObject,
): MaybePromise<VendorStatelessCreditsCall> {
  new RequestFieldReader(body).string("previous_response_id");
  const references = findStoredReferences(body, lookedUpId);
  if (references === undefined) return buildCreditsCall(dependencies, asked, body, undefined);
  const kept = loadReferencedItems(dependencies, asked.accountId, references, asked.call.hold);
  return kept.then((items) => buildCreditsCall(dependencies, asked, body, items));
}

function buildCreditsCall(
  dependencies: TranscodeDependencies,
  asked: TargetedCall,
  body: JsonObject,
  kept: StoredConversationItems | undefined,
): VendorStatelessCreditsCall {
  const { response: answer, plan, target, isStrict } = asked;
  const ledger = new ConversionWarningCollector();
  const envelope = dependencies.envelopeOf(target.name, plan.upstreamModel);
  const input = sentInput(body, kept, envelope, ledger);
  if (isStrict) throwOnFirstConversionWarning(ledger);
  answer.warnings = ledger.warnings;
  const keeps = body["store"] !== false && dependencies.storedResponses.isEnabled;
  const include = keeps ? addedInclude(asked, body) : undefined;
  const members = {
    ...(body["store"] !== false && { store: false }),
    ...(asString(body["previous_response_id"]) !== undefined && { previous_response_id: null }),
    ...(input !== undefined && { input }),
  };
  const keep = keeps ? responseStorer(dependencies, asked, body, kept, envelope) : undefined;
  return {
    body,
    members,
    options: include && { include },
    storesResponse: kept,
    storeResponse: keep,
  };
}

/**
 * What the vendor would look up: references, thoughts without their words, and
 * pictures without their data.
 */
function lookedUpId(item: JsonObject | undefined): string | undefined {
  if (item === undefined) return undefined;
  const isBarePicture = item["type"] === "image_generation_call" && item["result"] === undefined;
  const isBare = isBarePicture || isReasoningReference(item);
  return isBare ? asString(item["id"]) : readItemReferenceId(item);
}

/** The input with everything that it refers to; undefined: it stands as the caller sent it. */
function sentInput(
  body: JsonObject,
  kept: StoredConversationItems | undefined,
  envelope: ReasoningEnvelopeSealer,
  ledger: ConversionWarningCollector,
): readonly unknown[] | undefined {
  const previous = previousItems(body, kept).flatMap((item) =>
    unwrapReasoningEnvelope(item, "previous_response_id", envelope, ledger),
  );
  const isText = previous.length > 0 && typeof body["input"] === "string";
  const own = isText ? resolveInputItems(body, undefined) : asArrayOrEmpty(body["input"]);
  const sent = own.flatMap((value, index): readonly unknown[] => {
    const item = asObject(value);
    const path = arrayElementPath("input", index);
    const resolved = item === undefined ? undefined : resolvedItem(item, path, kept);
    return resolved === undefined
      ? [value]
      : unwrapReasoningEnvelope(resolved, path, envelope, ledger);
  });
  const isUnchanged = sent.length === own.length && sent.every((item, at) => item === own[at]);
  return previous.length === 0 && isUnchanged ? undefined : [...previous, ...sent];
}

function previousItems(
  body: JsonObject,
  kept: StoredConversationItems | undefined,
): readonly JsonObject[] {
  const id = asString(body["previous_response_id"]);
  if (id === undefined) return [];
  if (kept?.previous === undefined) throw previousResponseNotFoundError(id);
  return kept.previous;
}

/** Thoughts that are not kept are left out later on: the model goes on without them. */
function resolvedItem(
  item: JsonObject,
  path: string,
  kept: StoredConversationItems | undefined,
): JsonObject {
  const id = lookedUpId(item);
  if (id === undefined) return item;
  const found = kept?.find(id);
  if (found === undefined && !isReasoningReference(item)) throw storedItemNotFoundError(path, id);
  return found ?? item;
}

/** Thoughts can only go back whole when they were asked for, which models that do not think refuse. */
function addedInclude(asked: TargetedCall, body: JsonObject): readonly unknown[] | undefined {
  const include = asArrayOrEmpty(body["include"]);
  return include.includes(encryptedReasoningInclude) || !isReasoning(asked, body)
    ? undefined
    : [...include, encryptedReasoningInclude];
}

function isReasoning({ plan, target }: TargetedCall, body: JsonObject): boolean {
  const { dialect, upstreamModel } = plan;
  if (getLearnedCapabilities(target, upstreamModel).encryptedReasoning === false) return false;
  const { firstParty, sampling } = resolveCapabilities(plan.target, target, dialect, upstreamModel);
  const reasoning = asObject(body["reasoning"]);
  const effort = asString(reasoning?.["effort"]);
  if (effort !== undefined) return effort !== "none";
  return asString(reasoning?.["summary"]) !== undefined || (firstParty && !sampling);
}

function responseStorer(
  { storedResponses: turns, reportInternalError: reportFault }: TranscodeDependencies,
  { accountId }: TargetedCall,
  body: JsonObject,
  kept: StoredConversationItems | undefined,
  envelope: ReasoningEnvelopeSealer,
): ResponseObjectRecorder {
  const previousId = asString(body["previous_response_id"]);
  return async (response) => {
    const id = asString(response["id"]);
    if (id === undefined) return;
    try {
      const input = sealReasoningToUpstream(resolveInputItems(body, kept, lookedUpId), envelope);
      const output = sealReasoningToUpstream(asJsonObjectElements(response["output"]), envelope);
      await turns.store({ accountId, id, previousId, input, response, output });
    } catch (error) {
      reportFault(error);
    }
  };
}
