import { objectOrEmpty, tryParseJsonObject } from "../grammar/fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { TestedGatewayResponse } from "../http/gateway-client.ts";
import { ConformanceCaseFailedError, failCaseUnless } from "../outcome.ts";
import type { ConformanceClient } from "../dialect-client.ts";
import type { ConformanceToolCall } from "../parsed-response.ts";
import { isJsonObjectText } from "../dialect/shape.ts";

/** How many faults of one answer are told. */
const maxReported = 3;

/** Fails with the first faults of a shape. */
export function expectNoViolations(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConformanceCaseFailedError(reportViolations(faults));
}

/** Fails with the first places where a stream breaks its dialect's grammar. */
export function expectValidStream(probe: ConformanceClient, answer: TestedGatewayResponse): void {
  const faults = probe.speech.checkStream(probe.eventsOf(answer));
  const lines = faults.map(({ rule, event, message }) => `event ${event}, ${rule}: ${message}`);
  expectNoViolations(lines);
}

function reportViolations(faults: readonly string[]): string {
  const more = faults.length - maxReported;
  const first = faults.slice(0, maxReported).join(" ");
  return more > 0 ? `${first} (${more} more)` : first;
}

/** Calls with distinct ids, the names of tools that were offered, and JSON objects as input. */
export function expectValidToolCalls(calls: readonly ConformanceToolCall[], name: string): void {
  failCaseUnless(calls.length > 0, "The answer calls no tool although it had to.");
  const ids = new Set(calls.map(({ id }) => id));
  failCaseUnless(ids.size === calls.length, "Two calls have one id.");
  for (const call of calls) {
    failCaseUnless(call.name === name, `The call is named \`${call.name}\`, the tool \`${name}\`.`);
    const input = call.arguments.slice(0, 80);
    failCaseUnless(
      isJsonObjectText(call.arguments),
      `The input of a call is no JSON object: \`${input}\`.`,
    );
  }
}

/** The input of a call. */
export function expectToolArguments(call: ConformanceToolCall | undefined): JsonObject {
  return parseExpectedJsonObject(call?.arguments ?? "");
}

/** The JSON object that a text is; fails for any other text. */
export function parseExpectedJsonObject(text: string): JsonObject {
  const object = tryParseJsonObject(text);
  failCaseUnless(object !== undefined, `This is no JSON object: ${text.slice(0, 80)}`);
  return objectOrEmpty(object);
}
