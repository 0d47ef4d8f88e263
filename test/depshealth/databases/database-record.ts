import {
  osvAdvisoryParser,
  type AdvisoryRecord,
} from "../../../src/depshealth/source/osv-advisory.ts";

/** An advisory in the form of OSV (ossf.github.io/osv-schema), as far as it is read here. */
export interface OsvDocument {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly withdrawn?: string;
  readonly summary?: string;
  readonly details?: string;
  readonly affected?: readonly OsvAffected[];
}

export interface OsvAffected {
  readonly package?: { readonly ecosystem: string; readonly name: string };
  readonly ranges?: readonly OsvRange[];
  readonly versions?: readonly string[];
  readonly database_specific?: Readonly<Record<string, unknown>>;
}

export interface OsvRange {
  readonly type: string;
  readonly events: readonly OsvEvent[];
}

export interface OsvEvent {
  readonly introduced?: string;
  readonly fixed?: string;
  readonly last_affected?: string;
}

/** An advisory of a database: as it is published, and as it is read from OSV's answer. */
export interface DatabaseRecord {
  readonly document: OsvDocument;
  readonly record: AdvisoryRecord;
}

/** Reads a document by the way that an answer of OSV takes. */
export async function readRecord(document: OsvDocument): Promise<DatabaseRecord> {
  const bytes = Buffer.from(JSON.stringify(document));
  return { document, record: await osvAdvisoryParser(inOnePiece(bytes), {}) };
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
