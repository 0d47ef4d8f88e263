/**
 * `npm run snapshot:eol -- <file>`: makes the end-of-life snapshot that comes with
 * the program of the document `/products/full` of endoflife.date's API v1; `-`
 * reads it from standard input.
 */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { eolDatasetParser } from "../src/depshealth/eol/read-dataset.ts";
import { serializeEolSnapshotLine } from "../src/depshealth/eol/snapshot/product-line.ts";

const [source, target = "src/depshealth/eol/snapshot/products.jsonl"] = process.argv.slice(2);

if (source === undefined) {
  console.error("Say which document: npm run snapshot:eol -- products-full.json");
  process.exit(2);
}

const bytes = readFileSync(source === "-" ? 0 : source);
const { products } = await eolDatasetParser(inOnePiece(bytes), {});
const head = { as_of: asOf(bytes), source: "https://endoflife.date", licence: "MIT" };
const lines = [JSON.stringify(head), ...products.map(serializeEolSnapshotLine)];
await writeFile(target, lines.map((line) => `${line}\n`).join(""));
console.log(`${products.length} products as of ${head.as_of} are in ${target}`);

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The flags of the document are those of the day that it was made on. */
function asOf(bytes: Buffer): string {
  const { generated_at: generatedAt } = JSON.parse(bytes.toString()) as { generated_at?: string };
  const time = Date.parse(generatedAt ?? "");
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new Error("The document does not say when it was made (`generated_at`).");
}
