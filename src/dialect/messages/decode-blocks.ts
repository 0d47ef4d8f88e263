import { MalformedAnswer } from "../codec.ts";
import { asArray, asObject, asString, type JsonObject } from "../json.ts";
import type { Citation, PartDelta, PartHead, TurnEvent } from "../turn-event.ts";

/** A content block that has started and not ended. */
export interface OpenBlock {
  /** Number of the neutral part; undefined: a block that no other dialect has. */
  readonly part: number | undefined;
  readonly block: JsonObject;
  /** Text, thinking or JSON as far as it came. */
  text: string;
  hasDelta: boolean;
  signature: string | undefined;
  readonly citations: JsonObject[];
}

/** What the steps of a block write to. */
export interface BlockState {
  parts: number;
  readonly open: Map<number, OpenBlock>;
  /** Blocks as the upstream would have them back. */
  readonly raw: JsonObject[];
  hasCalls: boolean;
}

/** A block begins; some servers put its whole content into the beginning. */
export function blockStart(
  state: BlockState,
  index: number,
  block: JsonObject,
): readonly TurnEvent[] {
  const head = headOf(block);
  const part = head === undefined ? undefined : state.parts++;
  const open = { part, block, text: "", hasDelta: false, signature: undefined, citations: [] };
  state.open.set(index, open);
  if (head === undefined || part === undefined) return [];
  if (head.type === "tool-call") state.hasCalls = true;
  return [{ type: "part-start", index: part, part: head }, ...saidAtStart(open, block)];
}

function headOf(block: JsonObject): PartHead | undefined {
  switch (block["type"]) {
    case "text":
      return { type: "text" };
    case "thinking":
    case "redacted_thinking":
      return { type: "reasoning" };
    case "tool_use":
      return {
        type: "tool-call",
        kind: "function",
        id: asString(block["id"]) ?? "",
        name: asString(block["name"]) ?? "",
      };
    default:
      return undefined;
  }
}

function saidAtStart(open: OpenBlock, block: JsonObject): readonly TurnEvent[] {
  open.signature = asString(block["signature"]);
  for (const one of asArray(block["citations"])) open.citations.push(asObject(one) ?? {});
  const text = asString(block["text"]) ?? asString(block["thinking"]) ?? "";
  return textDelta(open, text);
}

function textDelta(open: OpenBlock, text: string): readonly TurnEvent[] {
  open.text += text;
  return text === "" ? [] : deltaOf(open, { type: "text", text });
}

function deltaOf({ part }: OpenBlock, delta: PartDelta): readonly TurnEvent[] {
  return part === undefined ? [] : [{ type: "part-delta", index: part, delta }];
}

/** Deltas of other kinds than their block's, and kinds newer than this code, tell nothing. */
export function blockDelta(
  state: BlockState,
  index: number,
  delta: JsonObject,
): readonly TurnEvent[] {
  const open = openBlock(state, index);
  switch (delta["type"]) {
    case "text_delta":
      return textDelta(open, asString(delta["text"]) ?? "");
    case "thinking_delta":
      return textDelta(open, asString(delta["thinking"]) ?? "");
    case "input_json_delta":
      return argumentsDelta(open, asString(delta["partial_json"]) ?? "");
    case "signature_delta":
      open.signature = asString(delta["signature"]);
      return [];
    case "citations_delta":
      open.citations.push(asObject(delta["citation"]) ?? {});
      return [];
    default:
      return [];
  }
}

function openBlock(state: BlockState, index: number): OpenBlock {
  const open = state.open.get(index);
  if (open === undefined)
    throw new MalformedAnswer("sent a piece of a content block that is not open");
  return open;
}

function argumentsDelta(open: OpenBlock, text: string): readonly TurnEvent[] {
  if (text === "") return [];
  open.hasDelta = true;
  open.text += text;
  return deltaOf(open, { type: "arguments", text });
}

/** A block ends: what is known only now goes before its end. */
export function blockEnd(state: BlockState, index: number): readonly TurnEvent[] {
  const open = openBlock(state, index);
  state.open.delete(index);
  state.raw.push(rawBlock(open));
  if (open.part === undefined) return [];
  return [...lastDeltas(open), { type: "part-end", index: open.part }];
}

function lastDeltas(open: OpenBlock): readonly TurnEvent[] {
  switch (open.block["type"]) {
    case "text":
      return citationsOf(open).flatMap((citation) => deltaOf(open, { type: "citation", citation }));
    case "thinking":
      return sealOf(open);
    case "redacted_thinking":
      return deltaOf(open, {
        type: "seal",
        seal: {
          dialect: "dialect_messages",
          kind: "redacted",
          data: asString(open.block["data"]) ?? "",
        },
      });
    default:
      return prefilledInput(open);
  }
}

function sealOf(open: OpenBlock): readonly TurnEvent[] {
  const { signature } = open;
  if (signature === undefined || signature === "") return [];
  return deltaOf(open, {
    type: "seal",
    seal: { dialect: "dialect_messages", kind: "thinking", signature },
  });
}

/** Input that came with the start of the block counts if no delta followed. */
function prefilledInput(open: OpenBlock): readonly TurnEvent[] {
  if (open.hasDelta) return [];
  const text = JSON.stringify(asObject(open.block["input"]) ?? {});
  return deltaOf(open, { type: "arguments", text });
}

/** Pages that were cited; the cited claim is the block's whole text. */
function citationsOf({ citations, text }: OpenBlock): readonly Citation[] {
  return citations
    .filter(({ type }) => type === "web_search_result_location")
    .map((citation) => ({
      url: asString(citation["url"]) ?? "",
      title: asString(citation["title"]) ?? "",
      citedText: asString(citation["cited_text"]),
      start: 0,
      end: text.length,
    }));
}

/** The block as it would stand in a whole answer. */
function rawBlock({ block, text, signature, hasDelta, citations }: OpenBlock): JsonObject {
  switch (block["type"]) {
    case "text":
      return citations.length === 0 ? { ...block, text } : { ...block, text, citations };
    case "thinking":
      return { ...block, thinking: text, signature: signature ?? "" };
    default:
      return hasDelta ? { ...block, input: parsedInput(text) } : block;
  }
}

function parsedInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
