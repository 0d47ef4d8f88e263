import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { DataSourceDocumentError } from "./document-error.ts";
import { readBytesWithinLimit } from "../../platform/byte-collector.ts";
import { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import { JsonPicker } from "../../platform/json-stream/json-picker.ts";
import { JsonStreamError } from "../../platform/json-stream/json-stream-error.ts";
import type { JsonProjection } from "../../platform/json-stream/json-shape.ts";

/** Headers of an answer, names in lower case. */
export type LowerCaseResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Makes a document of a body. It must be plain JSON, because it is stored as
 * such. Throws a `DocumentError` for a body that is none.
 */
export type DataSourceDocumentParser<Document> = (
  body: AsyncIterable<Buffer>,
  headers: LowerCaseResponseHeaders,
) => Promise<Document>;

/** The largest that is ever picked of one document. */
const maxPickedBytes = 12 * 1024 * 1024;
const maxTextBytes = 4 * 1024 * 1024;

/** Few documents are read at a time of which more is picked, because the picked part is held in memory. */
const smallPickedBytes = 1024 * 1024;
const largeDocuments = new KeyedConcurrencyLimiter(4);

/** Documents of many versions take tens of milliseconds each, and often end at the same time. */
const conversions = new KeyedConcurrencyLimiter(1);

/**
 * Reads JSON and makes a document of the parts that are wanted, one document in a turn of the
 * event loop, or in several if `make` awaits some. At most four are read at a time of which more
 * than one mebibyte is picked; the bodies of the others wait.
 */
export function createJsonDocumentParser<Document>(
  shape: JsonProjection,
  make: (picked: unknown, headers: LowerCaseResponseHeaders) => Document | Promise<Document>,
): DataSourceDocumentParser<Document> {
  const convert = (picked: unknown, headers: LowerCaseResponseHeaders): Promise<Document> =>
    conversions.run("", async () => {
      await nextTurn();
      return asDocumentErrorAsync(async () => make(picked, headers));
    });
  return async (body, headers) => {
    const picker = new JsonPicker(shape, maxPickedBytes);
    const chunks = body[Symbol.asyncIterator]();
    try {
      const isWhole = await pickUpTo(picker, chunks, smallPickedBytes);
      if (isWhole) return await convert(endOf(picker), headers);
      return await largeDocuments.run("", async () => {
        await pickUpTo(picker, chunks, Infinity);
        const document = await convert(endOf(picker), headers);
        await nextTurn();
        return asDocumentError(() => detach(document));
      });
    } finally {
      await chunks.return?.();
    }
  };
}

/** Reads on until so much is picked; whether the body has ended. */
async function pickUpTo(
  picker: JsonPicker,
  chunks: AsyncIterator<Buffer>,
  pickedBytes: number,
): Promise<boolean> {
  while (picker.pickedBytes <= pickedBytes) {
    const next = await chunks.next();
    if (next.done === true) return true;
    asDocumentError(() => picker.push(next.value));
  }
  return false;
}

function endOf(picker: JsonPicker): unknown {
  return asDocumentError(() => picker.end());
}

function asDocumentError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw toDocumentError(error);
  }
}

async function asDocumentErrorAsync<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw toDocumentError(error);
  }
}

/**
 * Makes every error of a reader an error of its document. A reader opens no connection, so
 * nothing that it throws is a failure of the source, which all packages share.
 */
function toDocumentError(error: unknown): DataSourceDocumentError {
  if (error instanceof DataSourceDocumentError) return error;
  const kind = error instanceof JsonStreamError ? error.kind : "unreadable";
  return new DataSourceDocumentError(kind, { cause: error });
}

/** A copy: parts of long texts keep the whole texts in memory. */
function detach<Document>(document: Document): Document {
  return JSON.parse(JSON.stringify(document)) as Document;
}

/** Reads text of at most four mebibytes. */
export function createTextDocumentParser<Document>(
  make: (text: string, headers: LowerCaseResponseHeaders) => Document,
): DataSourceDocumentParser<Document> {
  return async (body, headers) => {
    const bytes = await readBytesWithinLimit(body, maxTextBytes);
    if (bytes === undefined) throw new DataSourceDocumentError("too large");
    return asDocumentError(() => make(bytes.toString(), headers));
  };
}

/**
 * The body unpacked, if it is gzip (some storage serves it so whatever was
 * asked for), and cut at `maxBytes` of what it unpacks to.
 */
export async function* decompressWithinLimit(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of plain(body)) {
    size += chunk.length;
    if (size > maxBytes) throw new DataSourceDocumentError("too large");
    yield chunk;
  }
}

async function* plain(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const whole = resume(first.value, chunks);
  if (first.value[0] === 0x1f && first.value[1] === 0x8b) yield* unzip(whole);
  else yield* whole;
}

async function* resume(
  first: Buffer,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield first;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

async function* unzip(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const feeding = feed(body, gunzip);
  // Its failure is given to the reader through the stream.
  feeding.catch((error: Error) => gunzip.destroy(error));
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    throw isZlibError(error) ? new DataSourceDocumentError("broken off") : error;
  } finally {
    gunzip.destroy();
  }
}

async function feed(
  body: AsyncIterable<Buffer>,
  gunzip: ReturnType<typeof createGunzip>,
): Promise<void> {
  for await (const chunk of body) {
    if (gunzip.destroyed) return;
    if (!gunzip.write(chunk)) await Promise.race([once(gunzip, "drain"), once(gunzip, "close")]);
  }
  gunzip.end();
}

function isZlibError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && code.startsWith("Z_");
}
