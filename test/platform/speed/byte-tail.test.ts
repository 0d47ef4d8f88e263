import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteTail } from "../../../src/platform/speed/byte-tail.ts";

const kept = 8192;

function tailOf(chunks: readonly Buffer[]): string {
  const tail = new ByteTail();
  for (const chunk of chunks) tail.push(chunk);
  return tail.toString();
}

describe("ByteTail", () => {
  it("is empty at first", () => {
    expect(tailOf([])).toBe("");
  });

  it("keeps the last 8 KiB, however the bytes came", () => {
    const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(3 * kept), fc.constant(kept)));
    fc.assert(
      fc.property(lengths, (sizes) => {
        const chunks = sizes.map((size, index) => Buffer.alloc(size, `${index}.`));
        expect(tailOf(chunks)).toBe(Buffer.concat(chunks).subarray(-kept).toString("latin1"));
      }),
    );
  });

  it("does not hold on to what it was given", () => {
    const chunk = Buffer.from("data: 1\n\n");
    const tail = new ByteTail();
    tail.push(chunk);
    chunk.fill("x");
    expect(tail.toString()).toBe("data: 1\n\n");
  });
});
