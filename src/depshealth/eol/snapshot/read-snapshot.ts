import { readFileSync } from "node:fs";
import type { LoadedEolDataset } from "../dataset.ts";
import { parseEolSnapshotLine } from "./product-line.ts";

const file = new URL("products.jsonl", import.meta.url);

/**
 * The dataset that comes with the program, as `npm run snapshot:eol` has written
 * it: a line that says of when it is, and a line for each product.
 */
export function readEolSnapshot(): LoadedEolDataset {
  const [head = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const { as_of: asOf } = JSON.parse(head) as { readonly as_of: string };
  return {
    document: { products: lines.map(parseEolSnapshotLine) },
    observedAt: Date.parse(asOf),
    isShipped: true,
  };
}
