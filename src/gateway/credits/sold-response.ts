import { BodyReader, elementPath } from "../../dialect/body-reader.ts";
import type { KeptItems } from "../../dialect/codec.ts";
import { asArray, asObject, asString, objectsIn, type JsonObject } from "../../dialect/json.ts";
import { LossLedger } from "../../dialect/loss.ts";
import type { ReasoningEnvelope } from "../../dialect/reasoning-envelope.ts";
import { missingItem, missingResponse } from "../../dialect/responses/missing-kept.ts";
import { refuseLosses } from "../../dialect/transcode-request.ts";
import { capabilitiesOf } from "../transcode/capabilities-of.ts";
import type { KeepResponse } from "../relay/keep-response.ts";
import { learnedOf } from "../transcode/learned-capabilities.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { Warm } from "../../platform/warm.ts";
import { keptReferences, loadKept, ownItems, referredId } from "../response/kept-references.ts";
import { isBareThought, openThoughts, sealThoughts } from "./sealed-thoughts.ts";
import type { CallToSell, SoldCall } from "./sold-call.ts";

const thoughts = "reasoning.encrypted_content";

/**
 * A call of a responses caller to a vendor that speaks responses: the vendor stores
 * nothing, what it would look up is sent along, and the answer is kept here. Throws
 * 400 for what is not kept for the account.
 */
export function sellResponse(
  dependencies: TranscodeDependencies,
  asked: CallToSell,
  body: JsonObject,
): Warm<SoldCall> {
  new BodyReader(body).string("previous_response_id");
  const references = keptReferences(body, lookedUpId);
  if (references === undefined) return soldWith(dependencies, asked, body, undefined);
  const kept = loadKept(dependencies, asked.accountId, references);
  return kept.then((items) => soldWith(dependencies, asked, body, items));
}

function soldWith(
  dependencies: TranscodeDependencies,
  asked: CallToSell,
  body: JsonObject,
  kept: KeptItems | undefined,
): SoldCall {
  const { answer, plan, target, isStrict } = asked;
  const ledger = new LossLedger();
  const envelope = dependencies.envelopeOf(target.name, plan.upstreamModel);
  const input = sentInput(body, kept, envelope, ledger);
  if (isStrict) refuseLosses(ledger);
  answer.losses = ledger.losses;
  const keeps = body["store"] !== false && dependencies.turns.isOn;
  const include = keeps ? addedInclude(asked, body) : undefined;
  const members = {
    ...(body["store"] !== false && { store: false }),
    ...(asString(body["previous_response_id"]) !== undefined && { previous_response_id: null }),
    ...(input !== undefined && { input }),
  };
  const keep = keeps ? keeperOf(dependencies, asked, body, kept, envelope) : undefined;
  return { body, members, options: include && { include }, kept, keep };
}

/**
 * What the vendor would look up: references, thoughts without their words, and
 * pictures without their data.
 */
function lookedUpId(item: JsonObject | undefined): string | undefined {
  if (item === undefined) return undefined;
  const isBarePicture = item["type"] === "image_generation_call" && item["result"] === undefined;
  const isBare = isBarePicture || isBareThought(item);
  return isBare ? asString(item["id"]) : referredId(item);
}

/** The input with everything that it refers to; undefined: it stands as the caller sent it. */
function sentInput(
  body: JsonObject,
  kept: KeptItems | undefined,
  envelope: ReasoningEnvelope,
  ledger: LossLedger,
): readonly unknown[] | undefined {
  const previous = previousItems(body, kept).flatMap((item) =>
    openThoughts(item, "previous_response_id", envelope, ledger),
  );
  const isText = previous.length > 0 && typeof body["input"] === "string";
  const own = isText ? ownItems(body, undefined) : asArray(body["input"]);
  const sent = own.flatMap((value, index): readonly unknown[] => {
    const item = asObject(value);
    const path = elementPath("input", index);
    const resolved = item === undefined ? undefined : resolvedItem(item, path, kept);
    return resolved === undefined ? [value] : openThoughts(resolved, path, envelope, ledger);
  });
  const isUnchanged = sent.length === own.length && sent.every((item, at) => item === own[at]);
  return previous.length === 0 && isUnchanged ? undefined : [...previous, ...sent];
}

function previousItems(body: JsonObject, kept: KeptItems | undefined): readonly JsonObject[] {
  const id = asString(body["previous_response_id"]);
  if (id === undefined) return [];
  if (kept?.previous === undefined) throw missingResponse(id);
  return kept.previous;
}

/** Thoughts that are not kept are left out later on: the model goes on without them. */
function resolvedItem(item: JsonObject, path: string, kept: KeptItems | undefined): JsonObject {
  const id = lookedUpId(item);
  if (id === undefined) return item;
  const found = kept?.find(id);
  if (found === undefined && !isBareThought(item)) throw missingItem(path, id);
  return found ?? item;
}

/** Thoughts can only go back whole when they were asked for, which models that do not think refuse. */
function addedInclude(asked: CallToSell, body: JsonObject): readonly unknown[] | undefined {
  const include = asArray(body["include"]);
  return include.includes(thoughts) || !isThinking(asked, body)
    ? undefined
    : [...include, thoughts];
}

function isThinking({ plan, target }: CallToSell, body: JsonObject): boolean {
  const { dialect, upstreamModel } = plan;
  if (learnedOf(target, upstreamModel).sealedThoughts === false) return false;
  const { firstParty, sampling } = capabilitiesOf(plan.target, target, dialect, upstreamModel);
  const reasoning = asObject(body["reasoning"]);
  const effort = asString(reasoning?.["effort"]);
  if (effort !== undefined) return effort !== "none";
  return asString(reasoning?.["summary"]) !== undefined || (firstParty && !sampling);
}

function keeperOf(
  { turns, reportFault }: TranscodeDependencies,
  { accountId }: CallToSell,
  body: JsonObject,
  kept: KeptItems | undefined,
  envelope: ReasoningEnvelope,
): KeepResponse {
  const previousId = asString(body["previous_response_id"]);
  return async (response) => {
    const id = asString(response["id"]);
    if (id === undefined) return;
    try {
      const input = sealThoughts(ownItems(body, kept, lookedUpId), envelope);
      const output = sealThoughts(objectsIn(response["output"]), envelope);
      await turns.keep({ accountId, id, previousId, input, response, output });
    } catch (error) {
      reportFault(error);
    }
  };
}
