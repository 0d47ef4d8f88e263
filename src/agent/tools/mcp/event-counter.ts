const lineFeed = 0x0a;

/** Beginning of a line that gives an event its data. */
const dataField = "data";

/**
 * Counts the events of a stream whose lines end with LF, before anybody parses their data.
 * Events without data are not counted: readers drop them, and comments keep a stream alive.
 */
export class SseEventCounter {
  /** Beginning of the current line. */
  #line = "";
  #hasData = false;

  /** Returns how many events end in the next piece of the stream. */
  push(piece: Buffer): number {
    let events = 0;
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      this.#read(piece, start, end);
      if (this.#line === "" && this.#hasData) events += 1;
      this.#hasData = this.#line !== "" && (this.#hasData || this.#line === dataField);
      this.#line = "";
      start = end + 1;
    }
    this.#read(piece, start, piece.length);
    return events;
  }

  #read(piece: Buffer, start: number, end: number): void {
    const wanted = Math.min(end, start + dataField.length - this.#line.length);
    this.#line += piece.toString("latin1", start, wanted);
  }
}
