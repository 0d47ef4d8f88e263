import type { StoredConversationItems } from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { ConversionWarning } from "../../../src/dialect/conversion-warning.ts";
import { decodeResponsesRequest } from "../../../src/dialect/responses/decode-request.ts";
import type { NeutralPart, NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { requestContext } from "./response-context.ts";

/** A body with these members beside a model and a greeting, read. */
export function decode(body: JsonObject, kept?: StoredConversationItems): NeutralRequest {
  return decodeResponsesRequest({ model: "m", input: "hello", ...body }, requestContext(kept));
}

export interface DecodedWithLosses {
  readonly turn: NeutralRequest;
  readonly losses: readonly ConversionWarning[];
}

export function decodeWithLosses(body: JsonObject): DecodedWithLosses {
  const context = requestContext();
  const turn = decodeResponsesRequest({ model: "m", input: "hello", ...body }, context);
  return { turn, losses: context.warnings.warnings };
}

export function itemsOf(...input: readonly JsonObject[]): NeutralRequest {
  return decode({ input });
}

export function partsOf(...content: readonly JsonObject[]): readonly NeutralPart[] {
  return itemsOf({ role: "user", content }).messages[0]?.parts ?? [];
}

/** The `param` of the 400 that this throws. */
export function refusalOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.param;
    throw error;
  }
  return "not refused";
}

export const user = { role: "user", content: "go on" };
export const call = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
export const output = { type: "function_call_output", call_id: "c1", output: "ok" };
