import { describe, expect, it } from "vitest";
import { coalesceBodyChunks } from "../../../../src/agent/tools/mcp/checked-fetch.ts";

async function joined(pieces: readonly Buffer[], isStream: boolean): Promise<string> {
  const parts: Uint8Array[] = [];
  async function* chunks() {
    yield* pieces;
  }
  for await (const part of coalesceBodyChunks(chunks(), isStream)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe("collectParts", () => {
  it("makes LF of the line ends of a stream, wherever it is cut", async () => {
    const text = "data: a\r\ndata: b\rdata: c\n\r\r\n\r\u00fcnd";
    const bytes = Buffer.from(text);
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const cut = [bytes.subarray(0, first), bytes.subarray(first, second)];
        const whole = await joined([...cut, bytes.subarray(second)], true);
        expect(whole).toBe(text.replaceAll(/\r\n?/g, "\n"));
      }
    }
  });

  it("leaves a body that is not a stream as it is", async () => {
    expect(await joined([Buffer.from("a\r"), Buffer.from("\nb")], false)).toBe("a\r\nb");
  });
});
