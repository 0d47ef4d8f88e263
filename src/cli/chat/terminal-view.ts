import { sanitizeTerminalLine, sanitizeTerminalLines } from "../format-cell.ts";
import { startWaitIndicator, type WaitIndicator } from "../tools/progress.ts";
import type { CliChatView } from "./response-view.ts";
import type { TerminalTextStyles } from "./styles.ts";

type Block = "text" | "reasoning" | "tool" | "note";

/** Where the columns of a terminal are not known. */
const defaultColumns = 80;

/**
 * Shows an answer to a person: reasoning and tools stand back, what is another kind of
 * thing stands apart. Without colours reasoning has a bar before each line.
 */
export class TerminalChatView implements CliChatView {
  readonly #stream: NodeJS.WriteStream;
  readonly #styles: TerminalTextStyles;
  #block: Block | undefined;
  #isAtLineStart = true;
  #progress: WaitIndicator | undefined;

  constructor(stream: NodeJS.WriteStream, styles: TerminalTextStyles) {
    this.#stream = stream;
    this.#styles = styles;
  }

  text(words: string): void {
    this.#begin("text");
    this.#write(sanitizeTerminalLines(words));
  }

  reasoning(words: string): void {
    const isFirst = this.#begin("reasoning");
    const text = sanitizeTerminalLines(words);
    if (this.#styles.hasColor) return this.#write(this.#styles.dim(text), text);
    this.#write(`${isFirst ? "| " : ""}${text.replaceAll("\n", "\n| ")}`);
  }

  tool(line: string): void {
    this.#line("tool", line);
  }

  note(line: string): void {
    this.#line("note", line);
  }

  wait(what: string): void {
    this.#stopWaiting();
    if (!this.#isAtLineStart) this.#write("\n");
    this.#progress = startWaitIndicator(what, this.#stream);
  }

  end(): void {
    this.#stopWaiting();
    if (!this.#isAtLineStart) this.#write("\n");
    this.#block = undefined;
  }

  #line(block: Block, line: string): void {
    this.#begin(block);
    const columns = this.#stream.columns || defaultColumns;
    const whole = sanitizeTerminalLine(line);
    const text = whole.length < columns ? whole : `${whole.slice(0, columns - 2)}…`;
    this.#write(`${this.#styles.dim(text)}\n`);
  }

  /** True: another block was shown before. */
  #begin(block: Block): boolean {
    this.#stopWaiting();
    if (block === this.#block) return false;
    if (!this.#isAtLineStart) this.#write("\n");
    if (this.#block !== undefined) this.#write("\n");
    this.#block = block;
    return true;
  }

  #stopWaiting(): void {
    this.#progress?.done();
    this.#progress = undefined;
  }

  #write(written: string, text = written): void {
    this.#stream.write(written);
    if (text !== "") this.#isAtLineStart = text.endsWith("\n");
  }
}
