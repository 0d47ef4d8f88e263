import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";
import { chunk, sse } from "./contexts.ts";

const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"ключ"' } };

/** Everything a stream may hold, with characters of every length. */
const fixture = [
  ": hello\n\n",
  sse(
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "hmm 🤔" }),
    chunk({ content: "Grüße 👩‍👩‍👧" }),
    chunk({ content: "\u2028 and\nmore" }),
    chunk({ tool_calls: [call] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
    chunk({}, "tool_calls"),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
    "[DONE]",
  ),
].join("");

/** Events of the bytes, given in pieces. */
function readBytes(...pieces: readonly Buffer[]): readonly NeutralEvent[] {
  const reader = new SseEventReader(1_000_000);
  const decoder = chatCodec.decodeStream({ stop: [] });
  const events = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.finish()];
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.finish()];
}

const expected = readBytes(Buffer.from(fixture));

describe("[stream.bytes] the bytes of an upstream's stream", () => {
  it.each([
    ["LF", fixture],
    ["CRLF", fixture.replaceAll("\n", "\r\n")],
    ["CR", fixture.replaceAll("\n", "\r")],
    ["data: without a space", fixture.replaceAll("data: ", "data:")],
    ["a byte-order mark", `\uFEFF${fixture}`],
    ["ids and retries", fixture.replaceAll("data: ", "id: 1\nretry: 5\ndata: ")],
  ])("are the same cut at every place: %s", (_, text) => {
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(readBytes(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(expected);
    }
  });

  it("are the same byte by byte", () => {
    const bytes = [...Buffer.from(fixture)].map((byte) => Buffer.from([byte]));
    expect(readBytes(...bytes)).toEqual(expected);
  });

  it("are whole without the last blank line", () => {
    expect(readBytes(Buffer.from(fixture.trimEnd()))).toEqual(expected);
  });
});
