import { jsonByteCodes } from "../json-splice/byte.ts";
import {
  jsonStringStopByteTable,
  shortEscapeLetterFlagTable,
} from "../json-splice/string-bytes.ts";

/** What is used of WebAssembly, of which the types of Node know nothing. */
declare const WebAssembly: {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

/** Where the bytes to look at begin in the module's memory; the tables stand before them. */
export const jsonScannerInputAddress = 512;

/** How many bytes there is room for. */
export const jsonScannerInputBytes = 64 * 1024;

/** What finds it, and where it looks. */
export interface JsonStringScanner {
  readonly memory: { readonly buffer: ArrayBuffer };
  /**
   * The place from `at` on of the first byte that is neither plain nor part of an
   * escape of two bytes: a quote, a control character, a backslash before anything
   * else, or `end`. Both are places in the memory.
   */
  readonly afterPlain: (at: number, end: number) => number;
}

/** Kinds of bytes, in the first table; 0 is plain. */
const ending = 1;
const backslash = 2;

const kindOfByte = jsonStringStopByteTable.with(jsonByteCodes.backslash, backslash);

/**
 * Finds where the plain text of a JSON string ends, sixteen bytes at a time, by a
 * WebAssembly module that is written here as its text format would be (core specification
 * 2.0, section 5). Undefined where the machine has no vector instructions for it. Speed:
 * docs/performance.md, `end-of-plain-text`.
 */
export function tryLoadJsonStringScanner(): JsonStringScanner | undefined {
  const bytes = moduleBytes();
  if (!WebAssembly.validate(bytes)) return undefined;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const made = exports as unknown as JsonStringScanner;
  new Uint8Array(made.memory.buffer).set([...kindOfByte, ...shortEscapeLetterFlagTable]);
  return made;
}

// The names are those of the WebAssembly text format.
const i32 = 0x7f;
const v128 = 0x7b;
const empty = 0x40;
const block = [0x02, empty];
const loop = [0x03, empty];
const iff = [0x04, empty];
const end = 0x0b;
const ret = 0x0f;
const br = (depth: number) => [0x0c, depth];
const brIf = (depth: number) => [0x0d, depth];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
/** Of 0 to 63, which take one byte. */
const constant = (value: number) => [0x41, value];
const add = 0x6a;
const eqz = 0x45;
const eq = 0x46;
const gtU = 0x4b;
const geU = 0x4f;
const ctz = 0x68;
const load8 = (offset: number) => [0x2d, 0x00, ...leb(offset)];
const vector = (code: number) => [0xfd, code];
const loadVector = [...vector(0x00), 0x00, 0x00];
const splat = (value: number) => [...vector(0x0c), ...Array<number>(16).fill(value)];
const laneEq = vector(0x23);
const laneLtU = vector(0x26);
const vectorOr = vector(0x50);
const vectorXor = vector(0x51);
const bitmask = vector(0x64);

const at = 0;
const limit = 1;
const marks = 2;
const lanes = 3;

const advance = (count: number) => [get(at), constant(count), add, set(at)].flat();
const returnAt = [iff, get(at), ret, end].flat();

/**
 * Sixteen bytes at a time while there are as many, else one. `^ 0x02` makes a quote
 * 0x20 and leaves what is below that below it, so that one comparison tells both.
 */
const code = [
  [loop],
  [block, get(at), constant(16), add, get(limit), gtU, brIf(0)],
  [get(at), loadVector, tee(lanes), splat(0x02), vectorXor, splat(0x21), laneLtU],
  [get(lanes), splat(jsonByteCodes.backslash), laneEq, vectorOr, bitmask, tee(marks)],
  [eqz, iff, advance(16), br(2), end],
  [get(at), get(marks), ctz, add, set(at), end],
  [get(at), get(limit), geU, returnAt],
  [get(at), load8(0), load8(0), tee(marks)],
  [eqz, iff, advance(1), br(1), end],
  [get(marks), constant(ending), eq, returnAt],
  [get(at), constant(1), add, get(limit), geU, returnAt],
  [get(at), load8(1), load8(kindOfByte.length), eqz, returnAt],
  [advance(2), br(0), end],
  [get(at), end],
].flat(2);

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

function moduleBytes(): Uint8Array {
  const pages = Math.ceil((jsonScannerInputAddress + jsonScannerInputBytes) / 0x1_0000);
  const body = [2, 1, i32, 1, v128, ...code];
  const sections = [
    section(1, [1, 0x60, 2, i32, i32, 1, i32]),
    section(3, [1, 0]),
    section(5, [1, 0x00, pages]),
    section(7, [2, ...nameOf("memory"), 0x02, 0, ...nameOf("afterPlain"), 0x00, 0]),
    section(10, [1, ...leb(body.length), ...body]),
  ];
  return Uint8Array.from([header, ...sections].flat());
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

function nameOf(name: string): number[] {
  return [name.length, ...Buffer.from(name)];
}

/** An unsigned number, seven bits a byte. */
function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >> 7)];
}
