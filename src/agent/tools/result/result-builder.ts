type Part =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" };

/** Bytes of a result that a model is told. */
const maxBytes = 256 * 1024;
const maxImages = 16;

const cutNote =
  "[The tool answered more than this: what comes beyond 256 KiB is left out. Ask it for less.]";

/** The parts of a result, as far as there is room. Texts that follow each other are one part. */
export class McpToolResultBuilder {
  readonly #scrub: (text: string) => string;
  readonly #parts: Part[] = [];
  readonly #notes = new Set<string>();
  #texts: string[] = [];
  #room = maxBytes;
  #pictures = 0;
  #isTruncated = false;
  #hasText = false;

  constructor(scrub: (text: string) => string) {
    this.#scrub = scrub;
  }

  /** Whether there was a text, notes aside. */
  get hasText(): boolean {
    return this.#hasText;
  }

  addText(text: string): void {
    this.#hasText ||= text !== "";
    this.#add(this.#scrub(text).toWellFormed());
  }

  /** Base64 of a picture. */
  addImage(mimeType: string, data: string): void {
    const isRoom = data.length <= this.#room && this.#pictures < maxImages;
    if (!isRoom) return this.addNote("a picture for which there is no room here");
    this.#room -= data.length;
    this.#pictures += 1;
    this.#closeText();
    const url = `data:${mimeType};base64,${data}`;
    this.#parts.push({ type: "input_image", image_url: url, detail: "auto" });
  }

  /** Says what stood there and cannot be told; of the same kind once. */
  addNote(what: string): void {
    if (this.#notes.has(what)) return;
    this.#notes.add(what);
    this.#add(`[The tool answered with ${what}.]`);
  }

  /** All parts. `isWhole`: nothing was lost before they were added. */
  all(isWhole: boolean): readonly Part[] {
    this.#closeText();
    if (this.#isTruncated || !isWhole) this.#parts.push({ type: "input_text", text: cutNote });
    if (this.#parts.length > 0) return this.#parts;
    return [{ type: "input_text", text: "[The tool answered nothing.]" }];
  }

  #add(text: string): void {
    if (this.#room <= 0) {
      this.#isTruncated ||= text !== "";
      return;
    }
    const kept = beginning(text, this.#room);
    this.#isTruncated ||= kept.length < text.length;
    // Each text stands on a line of its own.
    this.#room -= Buffer.byteLength(kept) + 1;
    if (kept !== "") this.#texts.push(kept);
  }

  #closeText(): void {
    if (this.#texts.length === 0) return;
    this.#parts.push({ type: "input_text", text: this.#texts.join("\n") });
    this.#texts = [];
  }
}

/** As much of a text as so many bytes hold, cut between characters. */
function beginning(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
