/** What a reader tells about the HTTP/1.1 messages of one connection. */
export interface MessageHandler {
  /** The start line, without its line break. */
  onHead(startLine: string): void;
  /** A piece of the body, framing removed. Valid during the call only. */
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

const headEnd = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");
const nothing = Buffer.alloc(0);

type State = "head" | "sized" | "chunk-size" | "chunk" | "after-chunk" | "trailer";

/**
 * Takes HTTP/1.1 messages apart for the load client and the mock upstream,
 * which must cost less than what they measure. It understands `content-length`
 * and chunked bodies from peers that the benchmark starts itself, nothing more;
 * a message with neither has no body.
 */
export class MessageReader {
  readonly #handler: MessageHandler;
  #state: State = "head";
  #held: Buffer = nothing;
  /** Body bytes still to come in the states `sized` and `chunk`. */
  #expected = 0;

  constructor(handler: MessageHandler) {
    this.#handler = handler;
  }

  /** Takes the next bytes of the connection, cut anywhere. Throws on a broken chunk size. */
  push(bytes: Buffer): void {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    let used = this.#step(rest);
    while (used > 0) {
      rest = rest.subarray(used);
      used = rest.length === 0 ? 0 : this.#step(rest);
    }
    this.#held = rest;
  }

  /** Consumes one element from the front; 0: more bytes are needed. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "sized":
      case "chunk":
        return this.#readBody(bytes);
      default:
        return this.#readLine(bytes);
    }
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(headEnd);
    if (end < 0) return 0;
    const head = bytes.toString("latin1", 0, end);
    this.#handler.onHead(head.split("\r\n", 1)[0] ?? "");
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = "chunk-size";
    else this.#expectSized(Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0));
    return end + headEnd.length;
  }

  #expectSized(length: number): void {
    this.#expected = length;
    this.#state = "sized";
    if (length === 0) this.#finish();
  }

  #readBody(bytes: Buffer): number {
    const taken = Math.min(bytes.length, this.#expected);
    this.#handler.onBody(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    this.#expected -= taken;
    if (this.#expected > 0) return taken;
    if (this.#state === "chunk") this.#state = "after-chunk";
    else this.#finish();
    return taken;
  }

  /** A line of chunked framing: a size, the break after a chunk, or a trailer. */
  #readLine(bytes: Buffer): number {
    const end = bytes.indexOf(lineEnd);
    if (end < 0) return 0;
    if (this.#state === "chunk-size") this.#expectChunk(bytes.toString("latin1", 0, end));
    else if (this.#state === "after-chunk") this.#state = "chunk-size";
    else if (end === 0) this.#finish();
    return end + lineEnd.length;
  }

  #expectChunk(line: string): void {
    const size = Number.parseInt(line, 16);
    if (!(size >= 0)) throw new Error(`broken chunk size ${JSON.stringify(line)}`);
    this.#expected = size;
    this.#state = size === 0 ? "trailer" : "chunk";
  }

  #finish(): void {
    this.#state = "head";
    this.#handler.onEnd();
  }
}
