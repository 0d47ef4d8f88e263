import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import { elements, extraInputs, violationIf, repeated, type Violation } from "../violation.ts";
import { blockFaults, blocksOf } from "./block-rules.ts";

/** Messages of one role in a row are one turn to the vendor. */
export interface Turn {
  readonly role: unknown;
  readonly path: string;
  readonly blocks: (readonly [JsonObject, string])[];
}

/** What the vendor refuses in the conversation. */
export function messageFaults(body: JsonObject, betas: string): readonly Violation[] {
  const messages = elements(body["messages"], "messages");
  if (messages.length === 0)
    return [{ path: "messages", message: "at least one message is required" }];
  const turns = turnsOf(messages);
  return [
    ...messages.flatMap(([message, path]) => shapeFaults(message, path)),
    ...violationIf(turns[0]?.role !== "user", "messages", 'first message must use the "user" role'),
    ...systemFaults(body, turns, betas),
    ...turns.flatMap((turn) =>
      turn.blocks.flatMap(([block, path]) => blockFaults(block, path, turn.role, body)),
    ),
    ...pairFaults(turns.filter(({ role }) => role !== "system")),
    ...endFaults(turns),
  ];
}

function turnsOf(messages: readonly (readonly [JsonObject, string])[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [{ role, content }, path] of messages) {
    const blocks = blocksOf(content, `${path}.content`);
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else turns.push({ role, path, blocks: [...blocks] });
  }
  return turns;
}

function shapeFaults(message: JsonObject, path: string): readonly Violation[] {
  const { role, content } = message;
  const isSystem = role === "system";
  const known = isSystem ? ["role", "content", "clear_at", "output_config"] : ["role", "content"];
  const isEmpty = !isSystem && typeof content !== "string" && asArrayOrEmpty(content).length === 0;
  return [
    ...extraInputs(message, new Set(known), path),
    ...violationIf(
      !["user", "assistant", "system"].includes(String(role)),
      `${path}.role`,
      `Unexpected role "${String(role)}"`,
    ),
    ...violationIf(isEmpty, path, "all messages must have non-empty content"),
  ];
}

/** Newer models, and callers of the betas for it, have system messages behind a turn of the user; others none at all. */
function systemFaults(
  body: JsonObject,
  turns: readonly Turn[],
  betas: string,
): readonly Violation[] {
  const isKnown = /claude/.test(String(body["model"])) || betas.includes("mid-conversation-");
  return turns.flatMap(({ role, path }, at) =>
    violationIf(
      role === "system" && (!isKnown || turns[at - 1]?.role !== "user"),
      `${path}.role`,
      'Unexpected role "system". The Messages API accepts a top-level `system` parameter',
    ),
  );
}

/** Every call has its one result, first in the next turn of the user. */
function pairFaults(turns: readonly Turn[]): readonly Violation[] {
  return turns.flatMap((turn, at) => {
    const calls = idsOf(turn, "tool_use", "id");
    const before = at === 0 ? [] : idsOf(turns[at - 1] ?? turn, "tool_use", "id");
    const results = idsOf(turn, "tool_result", "tool_use_id");
    const isFirst = turn.blocks
      .slice(0, results.length)
      .every(([{ type }]) => type === "tool_result");
    const next = turns[at + 1];
    const answered = next === undefined ? [] : idsOf(next, "tool_result", "tool_use_id");
    return [
      ...violationIf(repeated(calls).length > 0, turn.path, "`tool_use` ids must be unique"),
      ...violationIf(
        calls.some((id) => !answered.includes(id)),
        turn.path,
        "`tool_use` ids were found without `tool_result` blocks immediately after",
      ),
      ...violationIf(
        results.some((id) => !before.includes(id)),
        turn.path,
        "unexpected `tool_use_id` found in `tool_result` blocks",
      ),
      ...violationIf(
        repeated(results).length > 0,
        turn.path,
        "each tool_use must have a single result",
      ),
      ...violationIf(!isFirst, turn.path, "`tool_result` blocks must come first"),
      ...callsLast(turn),
    ];
  });
}

function callsLast({ role, blocks, path }: Turn): readonly Violation[] {
  const first = blocks.findIndex(([{ type }]) => type === "tool_use");
  const isBehind = first !== -1 && blocks.slice(first).some(([{ type }]) => type === "text");
  return violationIf(role === "assistant" && isBehind, path, "`tool_use` blocks must come last");
}

function idsOf({ blocks }: Turn, type: string, name: string): readonly string[] {
  return blocks.filter(([block]) => block["type"] === type).map(([block]) => String(block[name]));
}

function endFaults(turns: readonly Turn[]): readonly Violation[] {
  const last = turns.at(-1);
  const text = asString(asObject(last?.blocks.at(-1)?.[0])?.["text"]) ?? "";
  const isOpen = last?.role === "assistant" && text !== text.trimEnd();
  return violationIf(
    isOpen,
    "messages",
    "final assistant content cannot end with trailing whitespace",
  );
}
