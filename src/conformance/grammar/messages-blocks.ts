import { recordToMap } from "../../platform/lookup-table.ts";
import { objectOrEmpty, stringOrEmpty } from "./fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { MessagesStreamCheckState, ContentBlockCheckState } from "./messages-stream-state.ts";

/** Members that a block must have when it starts, and what they are. */
const blockShapes = recordToMap<Readonly<Record<string, "string" | "object">>>({
  text: { text: "string" },
  thinking: { thinking: "string", signature: "string" },
  redacted_thinking: { data: "string" },
  tool_use: { id: "string", name: "string", input: "object" },
});

/** Block types that a kind of delta may extend, and the member that it must have. */
const deltaShapes: Readonly<
  Record<string, { readonly types: readonly string[]; readonly member: string }>
> = {
  text_delta: { types: ["text"], member: "text" },
  citations_delta: { types: ["text"], member: "citation" },
  thinking_delta: { types: ["thinking"], member: "thinking" },
  signature_delta: { types: ["thinking"], member: "signature" },
  input_json_delta: { types: ["tool_use", "server_tool_use"], member: "partial_json" },
};

const callId = /^[A-Za-z0-9_-]+$/;

export function checkContentBlockStart(reading: MessagesStreamCheckState, data: JsonObject): void {
  if (reading.open !== undefined) {
    reading.error("block-open", "A block starts before the last one stopped.");
  }
  if (reading.phase === "ending") reading.error("block-late", "A block follows `message_delta`.");
  if (data["index"] !== reading.nextIndex) {
    reading.error("block-index", `The index must be ${reading.nextIndex}, the block's position.`);
  }
  const block = objectOrEmpty(data["content_block"]);
  const type = stringOrEmpty(block["type"]);
  checkShape(reading, block, type);
  reading.open = { index: Number(data["index"]), type, json: "", isSigned: false };
  reading.nextIndex += 1;
}

function checkShape(reading: MessagesStreamCheckState, block: JsonObject, type: string): void {
  if (type === "") reading.error("block-type", "`content_block.type` is missing.");
  for (const [name, kind] of Object.entries(blockShapes.get(type) ?? {})) {
    if (typeof block[name] !== kind) reading.error("block-shape", `\`${type}\` lacks \`${name}\`.`);
  }
  if (type === "tool_use" && !callId.test(stringOrEmpty(block["id"]))) {
    reading.error("call-id", "The id of a call holds letters, digits, `_` and `-` only.");
  }
}

export function checkContentBlockDelta(reading: MessagesStreamCheckState, data: JsonObject): void {
  const { open } = reading;
  if (open === undefined || open.index !== data["index"]) {
    return reading.error("delta-index", "The delta belongs to no open block.");
  }
  const delta = objectOrEmpty(data["delta"]);
  const shape = deltaShapes[stringOrEmpty(delta["type"])];
  if (shape === undefined) return;
  if (!shape.types.includes(open.type)) {
    reading.error(
      "delta-type",
      `A \`${stringOrEmpty(delta["type"])}\` does not fit a \`${open.type}\` block.`,
    );
  }
  if (delta[shape.member] === undefined) {
    reading.error("delta-shape", `The delta lacks \`${shape.member}\`.`);
  }
  extend(reading, open, delta);
}

/** The signature is the last of its block, and comes once. */
function extend(
  reading: MessagesStreamCheckState,
  open: ContentBlockCheckState,
  delta: JsonObject,
): void {
  if (open.isSigned) reading.error("signature", "A delta follows the signature.");
  if (delta["type"] === "signature_delta") open.isSigned = true;
  open.json += stringOrEmpty(delta["partial_json"]);
}

export function checkContentBlockStop(reading: MessagesStreamCheckState, data: JsonObject): void {
  const { open } = reading;
  reading.open = undefined;
  if (open === undefined || open.index !== data["index"]) {
    return reading.error("stop-index", "The stop belongs to no open block.");
  }
  if (!isJson(open.json)) reading.brokenCalls.push(open.index);
}

/** Nothing at all is the empty object. */
function isJson(json: string): boolean {
  try {
    return json === "" || typeof JSON.parse(json) === "object";
  } catch {
    return false;
  }
}
