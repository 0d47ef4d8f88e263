import type { EolDataset } from "../../../src/depshealth/eol/dataset.ts";
import { eolDatasetParser } from "../../../src/depshealth/eol/read-dataset.ts";
import { sampleDocument } from "./sample.ts";

/** Reads a document as it would come from the source, in pieces of odd sizes. */
export function readDataset(text: string = sampleDocument()): Promise<EolDataset> {
  return eolDatasetParser(pieces(Buffer.from(text)), {});
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 997) yield bytes.subarray(start, start + 997);
}
