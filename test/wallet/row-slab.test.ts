import { describe, expect, it } from "vitest";
import { RowSlab, separateRows, type RowParameters } from "../../src/wallet/row-slab.ts";

const jsonOf = ({ rows, common }: RowParameters): unknown[] => [
  JSON.parse(rows.toString("utf8", 1)),
  JSON.parse(common),
];

const filled = (): RowSlab => {
  const slab = new RowSlab();
  slab.add(`{"model":"a"}`, `"id":1`);
  slab.add(`{"model":"é"}`, `"id":2`);
  slab.add(`{"model":"a"}`, `"id":3,"note":"ö"`);
  return slab;
};

describe("rows that wait to be written", () => {
  it("say once what several have in common, behind jsonb's version", () => {
    const parameters = filled().parameters();
    expect(parameters.rows[0]).toBe(1);
    expect(jsonOf(parameters)).toEqual([
      [
        { common: 1, id: 1 },
        { common: 2, id: 2 },
        { common: 1, id: 3, note: "ö" },
      ],
      [{ model: "a" }, { model: "é" }],
    ]);
  });

  it("are the same when they are asked for again, as for a write that failed", () => {
    const slab = filled();
    const [first, second] = [jsonOf(slab.parameters()), jsonOf(slab.parameters())];
    expect(second).toEqual(first);
  });

  it("leave nothing behind for those that follow them", () => {
    const slab = filled();
    slab.clear();
    expect(slab.isEmpty).toBe(true);
    slab.add(`{"model":"b"}`, `"id":4`);
    expect(jsonOf(slab.parameters())).toEqual([[{ common: 1, id: 4 }], [{ model: "b" }]]);
  });

  it("can be written one by one, each without what only others have", () => {
    expect(separateRows(filled().parameters()).map(jsonOf)).toEqual([
      [[{ common: 1, id: 1 }], [{ model: "a" }]],
      [[{ common: 1, id: 2 }], [{ model: "é" }]],
      [[{ common: 1, id: 3, note: "ö" }], [{ model: "a" }]],
    ]);
  });

  it("are enough after a thousand, or when what they have in common is long", () => {
    const [many, long] = [new RowSlab(), new RowSlab()];
    for (let id = 0; id < 999; id++) many.add("{}", `"id":${id}`);
    expect(many.isFull).toBe(false);
    many.add("{}", `"id":999`);
    expect(many.isFull).toBe(true);
    long.add(JSON.stringify({ model: "m".repeat(128 * 1024) }), `"id":1`);
    expect(long.isFull).toBe(true);
  });

  it("are refused where there is no room, but for a first one, which always has", () => {
    const wide = `"note":"${"n".repeat(200_000)}"`;
    const slab = new RowSlab();
    expect(slab.add("{}", wide)).toBe(true);
    expect(slab.add("{}", wide)).toBe(false);
    expect(jsonOf(slab.parameters())[0]).toHaveLength(1);
  });

  it("give their memory back at once when they are released", () => {
    const { rows } = filled().parameters();
    const slab = new RowSlab();
    slab.add("{}", `"id":1`);
    const released = slab.parameters().rows;
    slab.release();
    expect(released.byteLength).toBe(0);
    expect(rows.byteLength).toBeGreaterThan(0);
  });
});
