import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import type { ClientToolKind } from "../neutral-request.ts";

/** A call, or a piece of one, as an upstream wrote it. */
export interface ChatToolCallDelta {
  readonly index: number | undefined;
  /** Empty: not told. */
  readonly id: string;
  readonly kind: ClientToolKind;
  /** Empty: not told. */
  readonly name: string;
  /** JSON text, or a custom tool's text; some servers write the object itself. */
  readonly arguments: string;
}

const none: readonly ChatToolCallDelta[] = [];

/** The calls of a message or delta; a deprecated `function_call` is the call 0. */
export function readChatToolCallDeltas(message: JsonObject): readonly ChatToolCallDelta[] {
  if (message["tool_calls"] === undefined && message["function_call"] === undefined) return none;
  const calls = asArrayOrEmpty(message["tool_calls"]).flatMap(objectOf);
  const legacy = asObject(message["function_call"]);
  if (legacy === undefined || calls.length > 0) return calls.map(readCall);
  return [readCall({ index: 0, function: legacy })];
}

function readCall(call: JsonObject): ChatToolCallDelta {
  const custom = asObject(call["custom"]);
  const named = custom ?? asObject(call["function"]) ?? {};
  const { index } = call;
  return {
    index: typeof index === "number" && Number.isSafeInteger(index) ? index : undefined,
    id: asString(call["id"]) ?? "",
    kind: custom === undefined ? "function" : "custom",
    name: asString(named["name"]) ?? "",
    arguments: readArguments(named[custom === undefined ? "arguments" : "input"]),
  };
}

function objectOf(value: unknown): readonly JsonObject[] {
  const object = asObject(value);
  return object === undefined ? [] : [object];
}

function readArguments(value: unknown): string {
  if (typeof value === "string") return value;
  return asObject(value) === undefined ? "" : JSON.stringify(value);
}
