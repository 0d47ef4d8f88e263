import { fieldsOf, parseFields } from "../grammar/fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { GatewayAnswer } from "../http/gateway-client.ts";
import { CaseFailed, mustHold } from "../outcome.ts";
import type { Probe } from "../probe.ts";
import type { CallReading } from "../reading.ts";
import { isObjectText } from "../speech/shape.ts";

/** How many faults of one answer are told. */
const toldAtMost = 3;

/** Fails with the first faults of a shape. */
export function expectShape(faults: readonly string[]): void {
  if (faults.length > 0) throw new CaseFailed(tell(faults));
}

/** Fails with the first places where a stream breaks its dialect's grammar. */
export function expectClean(probe: Probe, answer: GatewayAnswer): void {
  const faults = probe.speech.checkStream(probe.eventsOf(answer));
  const lines = faults.map(({ rule, event, message }) => `event ${event}, ${rule}: ${message}`);
  expectShape(lines);
}

function tell(faults: readonly string[]): string {
  const more = faults.length - toldAtMost;
  const first = faults.slice(0, toldAtMost).join(" ");
  return more > 0 ? `${first} (${more} more)` : first;
}

/** Calls with distinct ids, the names of tools that were offered, and JSON objects as input. */
export function expectCalls(calls: readonly CallReading[], name: string): void {
  mustHold(calls.length > 0, "The answer calls no tool although it had to.");
  const ids = new Set(calls.map(({ id }) => id));
  mustHold(ids.size === calls.length, "Two calls have one id.");
  for (const call of calls) {
    mustHold(call.name === name, `The call is named \`${call.name}\`, the tool \`${name}\`.`);
    const input = call.arguments.slice(0, 80);
    mustHold(isObjectText(call.arguments), `The input of a call is no JSON object: \`${input}\`.`);
  }
}

/** The input of a call. */
export function inputOf(call: CallReading | undefined): JsonObject {
  return objectIn(call?.arguments ?? "");
}

/** The JSON object that a text is; fails for any other text. */
export function objectIn(text: string): JsonObject {
  const object = parseFields(text);
  mustHold(object !== undefined, `This is no JSON object: ${text.slice(0, 80)}`);
  return fieldsOf(object);
}
