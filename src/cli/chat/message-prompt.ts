import { createInterface, type Interface, type Key } from "node:readline";

/** What a person did at a prompt. */
export type TerminalMessageReadResult =
  | { readonly kind: "message"; readonly text: string }
  /** Ctrl-C with nothing typed. */
  | { readonly kind: "interrupt" }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: "end" };

/** A terminal that is told to (xterm's control sequences, "Bracketed Paste Mode") marks where a paste begins and ends. */
const pasteMarks = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Asks a person for messages: one line each, which a `\` at its end continues, or a
 * paste of several. While nobody asks, the terminal is as the shell left it, so that
 * Ctrl-C is a signal. What was typed ahead is the next answer.
 */
export class TerminalMessageReader {
  readonly #lines: Interface;
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  /** What is asked, and was last. */
  #prompt = "";
  /** Lines of a message that has not ended. */
  #begun: string[] = [];
  #isPasting = false;
  #isClosed = false;
  readonly #typed: TerminalMessageReadResult[] = [];
  #take: ((typed: TerminalMessageReadResult) => void) | undefined;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
    this.#lines = createInterface({ input, output, terminal: true });
    this.#lines.on("line", (line) => this.#addLine(line));
    this.#lines.on("SIGINT", () => this.#interrupt());
    this.#lines.on("close", () => {
      this.#isClosed = true;
      this.#give({ kind: "end" });
    });
    input.on("keypress", (_, { name }: Key) => {
      if (name === "paste-start" || name === "paste-end") this.#isPasting = name === "paste-start";
    });
    this.#rest();
  }

  /** Waits for a message, behind `prompt`. */
  async ask(prompt: string): Promise<TerminalMessageReadResult> {
    const ahead = this.#typed.shift();
    if (ahead !== undefined) return ahead;
    if (this.#isClosed) return { kind: "end" };
    const typed = new Promise<TerminalMessageReadResult>((resolve) => {
      this.#take = resolve;
    });
    this.#prompt = prompt;
    this.#input.setRawMode(true);
    this.#output.write(pasteMarks.on);
    this.#show(prompt);
    try {
      return await typed;
    } finally {
      this.#rest();
    }
  }

  close(): void {
    this.#lines.close();
  }

  #rest(): void {
    this.#output.write(pasteMarks.off);
    // Closing it has left the terminal as it was.
    if (this.#isClosed) return;
    this.#lines.pause();
    this.#input.setRawMode(false);
  }

  #addLine(line: string): void {
    const isContinued = line.endsWith("\\") && !this.#isPasting;
    this.#begun.push(isContinued ? line.slice(0, -1) : line);
    if (isContinued || this.#isPasting) return this.#show("… ");
    const text = this.#begun.join("\n");
    this.#begun = [];
    this.#give({ kind: "message", text });
  }

  /** What is half typed is thrown away first, and the same is asked again. */
  #interrupt(): void {
    const isEmpty = this.#lines.line === "" && this.#begun.length === 0;
    this.#begun = [];
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#output.write("\n");
    if (isEmpty) this.#give({ kind: "interrupt" });
    else this.#show(this.#prompt);
  }

  #show(prompt: string): void {
    this.#lines.setPrompt(prompt);
    this.#lines.prompt();
  }

  #give(typed: TerminalMessageReadResult): void {
    const take = this.#take;
    this.#take = undefined;
    if (take === undefined) this.#typed.push(typed);
    else take(typed);
  }
}
