/** Where in a JSON text the next character stands. */
type Place =
  /** Before a value. */
  | "value"
  /** Behind `[`: a value or `]`. */
  | "first-item"
  /** Behind `{`: a name or `}`. */
  | "first-name"
  /** Behind a comma in an object. */
  | "name"
  /** Behind a name. */
  | "colon"
  /** Behind a value. */
  | "end"
  | "string"
  | "escape"
  /** The four digits of `\u`. */
  | "unicode"
  /** A number, `true`, `false` or `null`. */
  | "word";

const dataField = "data:";
const literals = ["true", "false", "null"];

/** What makes the beginning of a value whole, by what is expected next. */
const missing: Readonly<Record<Place, string>> = {
  value: "null",
  "first-item": "",
  "first-name": "",
  name: '"":null',
  colon: ":null",
  end: "",
  string: '"',
  escape: '\\"',
  unicode: '"',
  word: "",
};

/**
 * Follows a JSON text, or the data of the events of a stream, byte by byte, and
 * knows at any place how to make whole JSON of what came so far: an answer that is
 * longer than is read is cut rather than lost. It holds no text, only the brackets
 * that are open.
 */
export class TruncatedJsonCompleter {
  readonly #isStream: boolean;
  /** `{` and `[` that are open. */
  #open: number[] = [];
  #place: Place = "value";
  #isName = false;
  #digits = 0;
  /** Objects, lists, members and items that have begun. */
  #values = 0;
  #word = "";
  #elements = 1;
  /** Beginning of the line of an event, up to its data. */
  #line = "";

  constructor({ isStream }: { readonly isStream: boolean }) {
    this.#isStream = isStream;
  }

  /** JSON values so far, of all texts. */
  get values(): number {
    return this.#values;
  }

  /** Number of elements that the outermost array has so far; 1 for any other value. */
  get elements(): number {
    return this.#elements;
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isStream) this.#lineByte(byte);
      else this.#jsonByte(byte);
    }
  }

  /**
   * What has to follow for the text to be one JSON object, with these members at
   * its end. Undefined: it is not inside of an object now.
   */
  close(members: Readonly<Record<string, unknown>>): string | undefined {
    const [outermost] = this.#open;
    if (outermost !== brace || (this.#isStream && this.#line !== dataField)) return undefined;
    const last = JSON.stringify(members).slice(1);
    const inner = this.#open.slice(1).toReversed().map(closing).join("");
    const isEmpty = this.#open.length === 1 && this.#place === "first-name";
    return `${this.#rest()}${inner}${isEmpty ? "" : ","}${last}${this.#isStream ? "\n\n" : ""}`;
  }

  /** What makes the innermost value whole. */
  #rest(): string {
    if (this.#place === "word") return this.#restOfWord();
    const zeros = this.#place === "unicode" ? "0".repeat(4 - this.#digits) : "";
    const isInText = ["string", "escape", "unicode"].includes(this.#place);
    return zeros + missing[this.#place] + (isInText && this.#isName ? ":null" : "");
  }

  #restOfWord(): string {
    const literal = literals.find((whole) => whole.startsWith(this.#word));
    if (literal !== undefined) return literal.slice(this.#word.length);
    return /\d$/.test(this.#word) ? "" : "0";
  }

  /** Of the lines of an event only what follows `data:` is JSON; an empty line ends the event. */
  #lineByte(byte: number): void {
    if (byte === carriageReturn) return;
    if (byte === newline) {
      if (this.#line === "") this.#restart();
      this.#line = "";
    } else if (this.#line === dataField) this.#jsonByte(byte);
    else if (this.#line.length <= dataField.length) this.#line += String.fromCharCode(byte);
  }

  #restart(): void {
    this.#open = [];
    this.#place = "value";
  }

  #jsonByte(byte: number): void {
    if (this.#place === "string") return this.#stringByte(byte);
    if (this.#place === "escape") return this.#escapeByte(byte);
    if (this.#place === "unicode") return this.#unicodeByte();
    if (this.#place === "word" && isOfWord(byte)) {
      // Enough to tell how it ends; a number may have any length.
      this.#word = (this.#word + String.fromCharCode(byte)).slice(-8);
      return;
    }
    if (this.#place === "word") this.#place = "end";
    if (!isSpace(byte)) this.#structureByte(byte);
  }

  #structureByte(byte: number): void {
    if (byte === brace || byte === bracket || byte === comma) this.#values += 1;
    if (byte === brace || byte === bracket) {
      this.#open.push(byte);
      this.#place = byte === brace ? "first-name" : "first-item";
    } else if (byte === closingBrace || byte === closingBracket) {
      this.#open.pop();
      this.#place = "end";
    } else if (byte === comma) {
      this.#place = this.#open.at(-1) === brace ? "name" : "value";
      if (this.#open.length === 1 && this.#open[0] === bracket) this.#elements += 1;
    } else if (byte === colon) this.#place = "value";
    else if (byte === quote) {
      this.#isName = this.#place === "name" || this.#place === "first-name";
      this.#place = "string";
    } else [this.#place, this.#word] = ["word", String.fromCharCode(byte)];
  }

  #stringByte(byte: number): void {
    if (byte === backslash) this.#place = "escape";
    else if (byte === quote) this.#place = this.#isName ? "colon" : "end";
  }

  #escapeByte(byte: number): void {
    this.#digits = 0;
    this.#place = byte === letterU ? "unicode" : "string";
  }

  #unicodeByte(): void {
    this.#digits += 1;
    if (this.#digits === 4) this.#place = "string";
  }
}

const [newline, carriageReturn, quote, comma, colon, backslash] = [10, 13, 34, 44, 58, 92];
const [bracket, closingBracket, brace, closingBrace, letterU] = [91, 93, 123, 125, 117];

function closing(opening: number): string {
  return opening === brace ? "}" : "]";
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === newline || byte === carriageReturn;
}

/** Letters, digits and what else stands in a number. */
function isOfWord(byte: number): boolean {
  const letter = byte | 0x20;
  const isLetter = letter >= 97 && letter <= 122;
  return isLetter || (byte >= 48 && byte <= 57) || byte === 43 || byte === 45 || byte === 46;
}
