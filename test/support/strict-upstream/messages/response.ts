import { asArrayOrEmpty, asObject, type JsonObject } from "../../../../src/dialect/json.ts";
import { parseLosslessJson } from "../../../../src/dialect/parse-exact.ts";
import { outputTokens, piecesOf, wordsIn, type StrictReply } from "../request.ts";
import { nextId } from "../next-id.ts";
import { signatureOf } from "../signature.ts";

const stopReasons = {
  end: "end_turn",
  stop: "stop_sequence",
  length: "max_tokens",
  calls: "tool_use",
};

/** The whole answer. */
export function messagesResponse(body: JsonObject, reply: StrictReply): JsonObject {
  return {
    ...head(body),
    content: blocksFor(body, reply),
    ...ending(reply),
    usage: usageOf(body, reply),
  };
}

/** The same as a stream. */
export function messagesFrames(answer: JsonObject): readonly string[] {
  const { content, stop_reason, stop_sequence } = answer;
  const usage = asObject(answer["usage"]) ?? {};
  const begun = { ...answer, content: [], stop_reason: null, stop_sequence: null };
  const events = [
    { type: "message_start", message: { ...begun, usage: { ...usage, output_tokens: 1 } } },
    { type: "ping" },
    ...asArrayOrEmpty(content).flatMap((block, at) => blockEvents(asObject(block) ?? {}, at)),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function head({ model }: JsonObject): JsonObject {
  return { id: nextId("msg_"), type: "message", role: "assistant", model };
}

function ending({ end, stop }: StrictReply): JsonObject {
  return { stop_reason: stopReasons[end], stop_sequence: end === "stop" ? stop : null };
}

function blocksFor(body: JsonObject, { thought, text, calls }: StrictReply): readonly JsonObject[] {
  const isOmitted = asObject(body["thinking"])?.["display"] === "omitted";
  const thinking = isOmitted ? "" : (thought ?? "");
  const signature = signatureOf(thinking);
  return [
    ...(thought === undefined ? [] : [{ type: "thinking", thinking, signature }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ tool: { name }, input }) => ({
      type: "tool_use",
      id: nextId("toolu_"),
      name,
      input: parseLosslessJson(input),
    })),
  ];
}

function blockEvents(block: JsonObject, index: number): readonly ({ type: string } & JsonObject)[] {
  return [
    { type: "content_block_start", index, content_block: begunBlock(block) },
    ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function begunBlock(block: JsonObject): JsonObject {
  if (block["type"] === "tool_use") return { ...block, input: {} };
  return block["type"] === "thinking"
    ? { type: "thinking", thinking: "", signature: "" }
    : { type: "text", text: "" };
}

function deltasOf({ type, text, thinking, signature, input }: JsonObject): readonly JsonObject[] {
  switch (type) {
    case "tool_use":
      return piecesOf(JSON.stringify(input)).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
    case "thinking":
      return [
        ...piecesOf(String(thinking)).map((piece) => ({ type: "thinking_delta", thinking: piece })),
        { type: "signature_delta", signature },
      ];
    default:
      return piecesOf(String(text)).map((piece) => ({ type: "text_delta", text: piece }));
  }
}

/** This vendor caches what a caller marks, and nothing else. */
function marksPrompt(body: JsonObject): boolean {
  return JSON.stringify(body).includes('"cache_control":{');
}

function usageOf(body: JsonObject, reply: StrictReply): JsonObject {
  const tokens = wordsIn([body["system"], body["messages"]]).length;
  const cached = marksPrompt(body) ? reply.cached : 0;
  return {
    input_tokens: tokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: outputTokens(reply),
  };
}
