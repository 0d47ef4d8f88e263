import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import { elements, extraInputs, violationIf, isObjectText, type Violation } from "../violation.ts";
import { toolName } from "./tool-rules.ts";

/**
 * Members of a message by its role, besides `role`, `content` and `name`. Of an
 * assistant all that an answer has: clients send it back as it is.
 */
const members: Readonly<Record<string, readonly string[]>> = {
  system: [],
  developer: [],
  user: [],
  assistant: ["tool_calls", "refusal", "annotations", "reasoning_content"],
  tool: ["tool_call_id"],
};

/** Members of a part by its type, and the roles that it belongs to. */
const parts: Readonly<Record<string, readonly string[]>> = {
  text: ["system", "developer", "user", "assistant", "tool"],
  refusal: ["assistant"],
  image_url: ["user"],
  file: ["user"],
};

/** What a server refuses in the conversation. */
export function messageFaults(body: JsonObject, isVendors: boolean): readonly Violation[] {
  const messages = elements(body["messages"], "messages");
  if (messages.length === 0) return [{ path: "messages", message: "[] is too short - 'messages'" }];
  const waiting = new Set<string>();
  const faults = messages.flatMap(([message, path], at) => [
    ...violationIf(
      ["system", "developer"].includes(String(message["role"])) && at > 0 && !isVendors,
      path,
      "System message must be at the beginning.",
    ),
    ...oneMessageFaults(message, path, waiting),
  ]);
  return [
    ...faults,
    ...violationIf(
      waiting.size > 0,
      "messages",
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    ),
  ];
}

function oneMessageFaults(
  message: JsonObject,
  path: string,
  waiting: Set<string>,
): readonly Violation[] {
  const role = String(message["role"]);
  const known = members[role];
  if (known === undefined) return [{ path: `${path}.role`, message: `Invalid value: '${role}'` }];
  const extras = extraInputs(message, new Set(["role", "content", "name", ...known]), path);
  if (role === "tool") return [...extras, ...resultFaults(message, path, waiting)];
  return [
    ...extras,
    ...violationIf(waiting.size > 0, path, "comes before the results of the calls"),
    ...(role === "assistant"
      ? assistantFaults(message, path, waiting)
      : contentFaults(message, path)),
  ];
}

function resultFaults(
  message: JsonObject,
  path: string,
  waiting: Set<string>,
): readonly Violation[] {
  const isAwaited = waiting.delete(String(message["tool_call_id"]));
  return [
    ...violationIf(
      !isAwaited,
      path,
      "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    ),
    ...contentFaults(message, path),
  ];
}

function assistantFaults(
  message: JsonObject,
  path: string,
  waiting: Set<string>,
): readonly Violation[] {
  const { content, tool_calls: calls, refusal } = message;
  const isSilent = content === null && calls === undefined && refusal === undefined;
  return [
    ...violationIf(isSilent, path, "expected content, tool_calls or refusal"),
    ...violationIf(
      Array.isArray(calls) && calls.length === 0,
      `${path}.tool_calls`,
      "[] is too short",
    ),
    ...(content === null ? [] : contentFaults(message, path)),
    ...elements(calls, `${path}.tool_calls`).flatMap(([call, place]) =>
      callFaults(call, place, waiting),
    ),
  ];
}

function callFaults(call: JsonObject, path: string, waiting: Set<string>): readonly Violation[] {
  const id = asString(call["id"]) ?? "";
  const isKnown = id === "" || waiting.has(id);
  waiting.add(id);
  const type = String(call["type"]);
  const named = asObject(call[type]) ?? {};
  const isText =
    type === "custom" ? typeof named["input"] === "string" : isObjectText(named["arguments"]);
  return [
    ...extraInputs(call, new Set(["id", "type", "function", "custom"]), path),
    ...violationIf(isKnown, `${path}.id`, "ids of calls must be unique"),
    ...violationIf(
      !toolName.test(String(named["name"])),
      `${path}.function.name`,
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ),
    ...violationIf(!isText, `${path}.function.arguments`, "Expected the JSON text of an object"),
  ];
}

function contentFaults({ role, content }: JsonObject, path: string): readonly Violation[] {
  if (typeof content === "string") return [];
  const listed = asArrayOrEmpty(content);
  if (listed.length === 0)
    return [{ path: `${path}.content`, message: "Expected a string or parts" }];
  return elements(content, `${path}.content`).flatMap(([part, place]) => {
    const type = String(part["type"]);
    return [
      ...violationIf(
        !(parts[type] ?? []).includes(String(role)),
        `${place}.type`,
        `Invalid value: '${type}'`,
      ),
      ...extraInputs(part, partMembers(type, role), place),
      ...(type === "image_url" ? imageFaults(asObject(part["image_url"]) ?? {}, place) : []),
    ];
  });
}

/** The vendor's own Agents SDK sends the annotations of an answer back. */
function partMembers(type: string, role: unknown): ReadonlySet<string> {
  const own = role === "assistant" ? ["annotations"] : [];
  return new Set(["type", type, "prompt_cache_breakpoint", ...own]);
}

function imageFaults({ url }: JsonObject, path: string): readonly Violation[] {
  const isTaken = /^https?:\/\/|^data:image\/(?:jpeg|png|gif|webp);base64,/.test(String(url));
  return violationIf(!isTaken, `${path}.image_url.url`, "Expected a base64 data URL or an address");
}
