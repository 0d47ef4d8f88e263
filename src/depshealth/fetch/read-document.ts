import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { DocumentFault } from "./document-fault.ts";
import { JsonPicker } from "../../platform/json-stream/json-picker.ts";
import { JsonStreamFault } from "../../platform/json-stream/json-stream-fault.ts";
import type { JsonShape } from "../../platform/json-stream/json-shape.ts";

/** Headers of an answer, names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Makes a document of a body. It must be plain JSON, because it is stored as
 * such. Throws a `DocumentFault` for a body that is none.
 */
export type DocumentReader<Document> = (
  body: AsyncIterable<Buffer>,
  headers: AnswerHeaders,
) => Promise<Document>;

/** The largest that is ever picked of one document. */
const mostPickedBytes = 12 * 1024 * 1024;
const largestTextBytes = 4 * 1024 * 1024;

/** Reads JSON and makes a document of the parts that are wanted. */
export function jsonReader<Document>(
  shape: JsonShape,
  make: (picked: unknown, headers: AnswerHeaders) => Document,
): DocumentReader<Document> {
  return async (body, headers) => {
    return make(await pick(body, shape), headers);
  };
}

async function pick(body: AsyncIterable<Buffer>, shape: JsonShape): Promise<unknown> {
  const picker = new JsonPicker(shape, mostPickedBytes);
  try {
    for await (const chunk of body) picker.push(chunk);
    return picker.end();
  } catch (error) {
    throw error instanceof JsonStreamFault ? new DocumentFault(error.kind) : error;
  }
}

/** Reads text of at most four mebibytes. */
export function textReader<Document>(
  make: (text: string, headers: AnswerHeaders) => Document,
): DocumentReader<Document> {
  return async (body, headers) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > largestTextBytes) throw new DocumentFault("too large");
      chunks.push(chunk);
    }
    return make(Buffer.concat(chunks).toString("utf8"), headers);
  };
}

/**
 * The body unpacked, if it is gzip (some storage serves it so whatever was
 * asked for), and cut at `maxBytes` of what it unpacks to.
 */
export async function* unpack(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of plain(body)) {
    size += chunk.length;
    if (size > maxBytes) throw new DocumentFault("too large");
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
    throw isZlibError(error) ? new DocumentFault("broken off") : error;
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
