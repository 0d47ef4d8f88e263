import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PendingLogLines } from "../../../src/platform/speed/pending-lines.ts";

describe("texts that wait to be written", () => {
  it("are the lines that were added since it was cleared, however much was there before", () => {
    const items = fc.array(fc.string({ unit: "grapheme", maxLength: 9000 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(items, { maxLength: 4 }), (batches) => {
        const texts = new PendingLogLines();
        for (const batch of batches) {
          for (const item of batch) texts.add(JSON.stringify(item));
          expect(texts.count).toBe(batch.length);
          expect(texts.length).toBe(texts.toBytes().length);
          const lines = texts.toBytes().toString().split("\n");
          expect(lines).toEqual(
            batch.length === 0 ? [""] : batch.map((item) => JSON.stringify(item)),
          );
          texts.clear();
        }
      }),
    );
  });
});
